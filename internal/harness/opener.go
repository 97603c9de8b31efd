// Package harness is what the command line and the Go package share around a run: the clients of its providers, the
// folder of its results, and the one way to drive it.
package harness

import (
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/cache"
	"github.com/arena-evals/arena/internal/providers/open"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// Clients opens the providers of a plan. Its methods are a runner.Opener and a runner.EmbedderOpener.
type Clients struct {
	Jobs    int              // trials that run at once
	Retries *int             // overrides the files; nil: as they say
	Random  func() float64   // for the jitter of retries; nil: no jitter
	Now     func() time.Time // nil: time.Now
	Cache   *cache.Store     // of replies; nil: none
	Offline bool             // no connection is opened
	Lenient bool             // a mock without a reply answers with a generic text
	Strict  bool             // a replay that does not match the user's messages is an error
	Regions int              // number of regions for which trials run
	// OnStderr is called for each line that an agent's program writes to stderr; nil: the lines are dropped.
	OnStderr func(who, line string)
	// Shared are the limits of a provider that this process shares with other machines; nil: none.
	Shared func(p *scenario.Project, spec *scenario.Provider) providers.Shared
	// NoTraces starts the programs of agents without an endpoint for their traces.
	NoTraces bool
	Judge    string // the provider or judge for checks that name none
}

// Open creates the client of a provider, with enough connections for all trials at once, including parallel steps. A
// model that is tested and also judges has connections for both.
func (c *Clients) Open(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
	o := c.options(p)
	o.Jobs = max(c.Jobs*mostParallelModels(p), runner.JudgesAtOnce)
	if c.judges(p, spec) {
		o.Jobs += c.Jobs
	}
	o.MockFile, o.Inline, o.Lenient, o.Strict = p.Mock, inlineReplies(p), c.Lenient, c.Strict
	o.Regions = c.Regions
	client, err := open.New(spec, o)
	if err != nil {
		return nil, false, err
	}
	simulated := open.Simulated(spec.Type)
	if c.Cache != nil && !simulated && !scenario.ProviderTypeOf(spec.Type).Agent { // agents act: they must be called
		client = c.Cache.Wrap(client, spec)
	}
	return client, simulated, nil
}

// mostParallelModels returns how many models a trial calls at once: the most branches with a model in a parallel step.
func mostParallelModels(p *scenario.Project) int {
	most := 1
	for _, c := range p.Compositions {
		for _, step := range c.Steps {
			calling := 0
			for _, b := range step.Branches {
				if b.PromptTask != "" {
					calling++
				}
			}
			most = max(most, calling)
		}
	}
	return most
}

// judges reports whether a provider is the model of a judge, by its name.
func (c *Clients) judges(p *scenario.Project, spec *scenario.Provider) bool {
	return c.Judge != "" && spec.Is(c.Judge) ||
		slices.ContainsFunc(p.Judges, func(j scenario.Judge) bool { return spec.Is(j.Provider) })
}

// OpenEmbedder creates the client of an embedding model.
func (c *Clients) OpenEmbedder(p *scenario.Project, spec *scenario.Provider) (checks.Embedder, error) {
	e, err := open.NewEmbedder(spec, c.options(p))
	if err != nil || c.Cache == nil {
		return e, err
	}
	return c.Cache.WrapEmbedder(e, spec), nil
}

func (c *Clients) options(p *scenario.Project) open.Options {
	o := open.Options{
		Getenv: p.Getenv, Jobs: c.Jobs, Retries: c.Retries, Random: c.Random, Now: c.Now, Offline: c.Offline,
		OnStderr: c.OnStderr, NoTraces: c.NoTraces,
	}
	if c.Shared != nil {
		o.Shared = func(spec *scenario.Provider) providers.Shared { return c.Shared(p, spec) }
	}
	return o
}

// inlineReplies returns a function that finds the mock replies in the turns of scenarios.
func inlineReplies(p *scenario.Project) func(id string, turn int) []scenario.MockReply {
	byID := make(map[string]*scenario.Scenario, len(p.Scenarios))
	for _, s := range p.Scenarios {
		byID[s.ID] = s
	}
	return func(id string, turn int) []scenario.MockReply {
		if s := byID[id]; s != nil && turn < len(s.Turns) {
			return s.Turns[turn].Inline()
		}
		return nil
	}
}

const defaultJobs = 6

// Jobs returns how many trials of a suite run at once: asked if it is set, else the largest concurrency of a project,
// else 6.
func Jobs(asked int, suite *scenario.Suite) int {
	if asked > 0 {
		return asked
	}
	jobs := 0
	for _, p := range suite.Projects {
		jobs = max(jobs, p.Defaults.Concurrency)
	}
	if jobs == 0 {
		return defaultJobs
	}
	return jobs
}
