package arena

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/contain"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// Options say what to run and how. The zero value runs the same as `arena run` without arguments: the config of the
// working directory, or its scenarios folder. Options override the files.
type Options struct {
	Paths  []string // configs, scenario files, packs, folders and globs
	Config string   // an arena config, in addition to Paths
	Dir    string   // working directory, for relative paths; "": that of the process

	// Files are files in memory, by names such as scenarios/refund.yaml: relative to Dir, with slashes. They replace
	// files of the same names on disk; problems and results name their lines. If Paths and Config are empty, Files are
	// run: the config among them with the files that it lists, or else all of them. Media, keys, skills, programs and
	// recordings must be on disk.
	Files map[string][]byte

	// Filters. An entry that matches nothing is an error.
	Scenarios []string // ids and patterns, as --scenario takes them
	Providers []string // ids, mock, or type/model for a model that no file configures
	Regions   []string
	Tags      []string // likewise

	Mock       bool   // mock replies answer for every provider, without a network
	MockConfig string // file of mock replies, in place of the providers' own and before those on turns; implies Mock

	Temperature *float64
	MaxTokens   *int
	Seed        *int64
	Trials      int           // how often each scenario is run, with a pass rate at most; 0: as the files say
	Jobs        int           // trials at once; 0: as the files say
	Timeout     time.Duration // of a conversation; 0: as the files say
	Retries     *int          // of a model call that failed; nil: as the files say

	// PassRate is the share of trials of every scenario that must pass, such as 0.8. A scenario passes when its trials
	// show a rate of at least PassRate - Tolerance, and fails when they show one below PassRate. Each of the two verdicts
	// is wrong in at most 1 - Confidence of runs. nil: as the files say.
	PassRate, Tolerance, Confidence *float64
	// Stop says when a group of trials may end: early, as soon as the other trials cannot change the verdict, or never;
	// "": as the files say.
	Stop string
	// AllowUndecided lets the run pass although the trials of a scenario did not decide whether its pass rate is reached.
	AllowUndecided bool
	// Eager starts trials before it is known whether they are needed: faster, with more calls.
	Eager bool

	OnFailure string // after a failed turn assertion: continue or stop; "": as the files say
	// FailOn adds reasons for a failed run to failed assertions, errors and the fail_on of the files: guardrail,
	// skipped, warning, eval, flaky.
	FailOn []string
	// MaxTrials limits the trials of all scenarios together. Scenarios that are closest to a verdict get them first. 0: no
	// limit.
	MaxTrials   int
	MaxFailures int  // no trial starts after so many failed ones; 0: no limit
	Strict      bool // warnings are errors
	Lenient     bool // unknown fields and parameters are warnings, for files that were written for other tools
	AllowEmpty  bool // a plan without trials is no error

	// Evals to run, by groups and by types of checks; empty is all of them.
	EvalGroups, EvalTypes []string
	SkipEvals             bool

	// Agents are agents under test that are written in Go, by provider id. Each replaces the provider of that id in the
	// files, if there is one. If Providers is empty, only Agents are tested.
	Agents map[string]Agent

	// Tools are tools that are written in Go, by name. The files must define a tool of each name: its description and
	// schemas.
	Tools map[string]ToolFunc

	Checks *Registry // checks in Go; nil: none
	// Judges are judges that are written in Go, by the names that files use.
	Judges map[string]Judge
	Judge  string // the judge for checks that name none; "": the first judge of the files, else of Judges
	Hooks  []ProviderHook

	// Record is a folder for recordings of models, agents, tools, judges and programs, one file for each trial. Replay
	// answers from such a folder: it calls none of them, nor hooks, and checks judge the recorded conversations. While
	// recording, agents, judges and tools in Go are always called; with Hooks so are models.
	Record, Replay string
	// RecordMode says what to record: new, the calls that the recording does not hold; once, only trials without a
	// recording; all, every call again; none, nothing: it replays. "" is new.
	RecordMode    string
	ReplayMissing string   // a trial without a recording is an error, or record runs and records it; "": error
	Redact        []string // JSON fields that are removed from recordings and reports; the run itself has them

	// Cache is a folder for replies of models, so that the same request is paid for once; "": no cache. Agents and judges
	// in Go are not cached.
	Cache string

	Metrics *Metrics // nil: no metrics
	// Traces is the URL of an OpenTelemetry collector (OTLP over HTTP) that gets the spans of a run; "": no traces.
	// TraceContent adds the messages. Headers and other settings come from the OTEL_EXPORTER_OTLP_ variables. Lost spans
	// are a warning of the result.
	Traces       string
	TraceContent bool

	// Out is a folder for the journal and the reports; "": nothing is written. Each trial is written to the journal as
	// soon as it ends, so that paid results survive the process.
	Out string
	// OnEvent is called for each event of a run, in order, from one goroutine. The run waits for it.
	OnEvent func(Event)

	Getenv func(name string) (value string, set bool) // for keys and variables; nil: the environment of the process
	Now    func() time.Time                           // nil: time.Now
}

// environment returns the environment variables of the process.
func environment() map[string]string {
	all := map[string]string{}
	for _, entry := range os.Environ() { //nolint:forbidigo // see complete
		name, value, _ := strings.Cut(entry, "=")
		all[name] = value
	}
	return all
}

// complete sets defaults, and returns errors for invalid values.
func (o *Options) complete() ([]namedHook, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Getenv == nil {
		o.Getenv = os.LookupEnv //nolint:forbidigo // the facade is where the environment of a Go program comes in
	}
	o.FailOn = slices.Clone(o.FailOn)
	errs := append(o.checkValues(), o.checkNames()...)
	hooks, err := namedHooks(o.Hooks)
	return hooks, errors.Join(append(append(errs, o.checkCassettes()...), err)...)
}

// checkValues checks numbers and words, and puts the reasons that FailOn names in their canonical form.
func (o *Options) checkValues() (errs []error) {
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("arena: "+format, args...)) }
	if t := o.Temperature; t != nil && (*t < 0 || *t > 2) {
		bad("Temperature must be between 0 and 2, found %v", *t)
	}
	if n := o.MaxTokens; n != nil && *n < 1 {
		bad("MaxTokens must be at least 1, found %d", *n)
	}
	if n := o.Retries; n != nil && *n < 0 {
		bad("Retries must not be negative, found %d", *n)
	}
	if o.Trials < 0 || o.Jobs < 0 || o.Timeout < 0 || o.MaxTrials < 0 {
		bad("Trials, Jobs, Timeout and MaxTrials must not be negative, found %d, %d, %s and %d", o.Trials, o.Jobs, o.Timeout,
			o.MaxTrials)
	}
	if !slices.Contains([]string{"", "early", "never"}, o.Stop) {
		bad("Stop cannot be %q; expected early or never", o.Stop)
	}
	if !slices.Contains([]string{"", "continue", "stop"}, o.OnFailure) {
		bad("OnFailure cannot be %q; expected continue or stop", o.OnFailure)
	}
	for i, word := range o.FailOn {
		reason, err := result.FailOnReason(word)
		if err != nil {
			bad("FailOn: %w", err)
		}
		o.FailOn[i] = reason
	}
	return errs
}

// checkNames checks what files, agents, tools and judges are called, and that there is a value under each name.
func (o *Options) checkNames() (errs []error) {
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("arena: "+format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(o.Files)) {
		if !fs.ValidPath(name) || name == "." {
			bad("Files[%q] must be named by a path below Dir with slashes, such as scenarios/refund.yaml", name)
		}
	}
	for _, name := range o.agentNames() {
		if strings.TrimSpace(name) != name || name == "" || strings.Contains(name, ",") || o.Agents[name] == nil {
			bad("Agents[%q] must be an agent under an id without commas", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Tools)) {
		if o.Tools[name] == nil {
			bad("Tools[%q] must be a function", name)
		}
	}
	if len(o.Agents) > 0 && (o.Mock || o.MockConfig != "") {
		bad("Agents and Mock exclude each other: the mock answers for every agent")
	}
	for _, name := range slices.Sorted(maps.Keys(o.Judges)) {
		if strings.TrimSpace(name) != name || name == "" || o.Judges[name] == nil {
			bad("Judges[%q] must be a judge under a name", name)
		}
	}
	return errs
}

// secrets collects the secrets of a suite, which no written file may contain. own says that the environment is that of
// the process.
func secrets(suite *scenario.Suite, own bool, d *diag.List) *harness.Secrets {
	var env map[string]string
	if own {
		env = environment()
	}
	v := harness.NewSecrets(env)
	v.WatchAll(suite)
	v.CheckSuiteNames(suite, d)
	return v
}

// namedHooks asks each hook for its name, once.
func namedHooks(hooks []ProviderHook) ([]namedHook, error) {
	var errs []error
	out := make([]namedHook, 0, len(hooks))
	for i, h := range hooks {
		name, err := hookName(h)
		if err != nil {
			errs = append(errs, fmt.Errorf("arena: Hooks[%d]: %w", i, err))
		}
		out = append(out, namedHook{h, name})
	}
	return out, errors.Join(errs...)
}

func hookName(h ProviderHook) (name string, err error) {
	if h == nil {
		return "", errors.New("it is nil")
	}
	defer func() {
		if p := recover(); p != nil {
			err = contain.Panicked("its method Name", p)
		}
	}()
	if name = h.Name(); strings.TrimSpace(name) == "" {
		return "", errors.New("its name is empty")
	}
	return name, nil
}

// source returns what to load.
func (o *Options) source() scenario.Options {
	return scenario.Options{
		Dir: o.Dir, Paths: o.Paths, Config: o.Config, MockConfig: o.MockConfig, Memory: o.Files, Lenient: o.Lenient,
		Getenv: o.Getenv,
	}
}

// path resolves a path of the options against Dir.
func (o *Options) path(name string) string {
	if name == "" || o.Dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(o.Dir, name)
}

// read reads a file in which there is a problem.
func (o *Options) read(name string) ([]byte, error) {
	if data, ok := o.Files[filepath.ToSlash(name)]; ok {
		return data, nil
	}
	return plainfile.Read(o.path(name))
}

func (o *Options) filter() *evals.Filter {
	return &evals.Filter{Groups: o.EvalGroups, Types: o.EvalTypes, Skip: o.SkipEvals}
}

// plan returns the options of the plan.
func (o *Options) plan(jobs int, c *clients) runner.PlanOptions {
	tested := o.Providers
	if len(tested) == 0 {
		tested = o.agentNames()
	}
	return runner.PlanOptions{
		Selection: runner.Selection{
			Scenarios: o.Scenarios, Providers: tested, Regions: o.Regions, Tags: o.Tags,
		},
		Agents: c.extraAgents,
		Rule:   o.rule(),
		Trials: o.Trials, MockProvider: o.Mock || o.MockConfig != "", AllowEmpty: o.AllowEmpty, Strict: o.Strict,
		Lenient: o.Lenient, FailOn: o.FailOn, Judge: o.Judge, Jobs: jobs,
		Open: c.open, OpenEmbedder: c.OpenEmbedder,
		Calls: runner.CallParameters{Temperature: o.Temperature, MaxTokens: o.MaxTokens, Seed: o.Seed},
	}
}

// rule returns how many trials of a group must pass.
func (o *Options) rule() runner.TrialOptions {
	return runner.TrialOptions{
		PassRate: o.PassRate, Tolerance: o.Tolerance, Confidence: o.Confidence, Stop: o.Stop,
		AllowUndecided: o.AllowUndecided,
	}
}

// run returns the options of the run.
func (o *Options) run(jobs int) runner.Options {
	return runner.Options{
		Events: o.OnEvent != nil || o.Traces != "", Again: o.recordAgain,
		Eager: o.Eager, MaxTrials: o.MaxTrials,
		Jobs: jobs, MaxFailures: o.MaxFailures, OnFailure: o.OnFailure, Strict: o.Strict, Now: o.Now,
		Temperature: o.Temperature, MaxTokens: o.MaxTokens, Seed: o.Seed,
		Crash: func(string, any, []byte) {}, // the result of the trial has the panic
	}
}
