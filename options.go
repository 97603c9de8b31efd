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

// Options say what to run and how. The zero value runs what `arena run` without arguments would: the config of the
// working directory, else its scenarios folder. What is set here wins over the files.
type Options struct {
	Paths  []string // configs, scenario files, packs, folders and globs
	Config string   // one arena config, beside Paths
	Dir    string   // working directory, against which relative paths resolve; "": that of the process

	// Files are files that are not on disk, by names such as scenarios/refund.yaml: relative to Dir, with slashes. They
	// are read as if they were there, hide what is on disk under the same names, and problems and results name their
	// lines. Where Paths and Config are empty they are what is run: the config among them with what it lists, else all of
	// them. What is opened by others than arena has to be on disk: media, keys, skills, programs, recordings.
	Files map[string][]byte

	// Filters. What names nothing that exists is an error.
	Scenarios []string // ids and patterns, as --scenario takes them
	Providers []string // ids, mock, or type/model for a model that no file configures
	Regions   []string
	Tags      []string // likewise

	Mock       bool   // answer for every provider from mock replies, without a network
	MockConfig string // file of mock replies, in place of the providers' own and before those on turns; implies Mock

	Temperature *float64
	MaxTokens   *int
	Seed        *int64
	Trials      int           // how often each scenario is run, with a pass rate at most; 0: as the files say
	Jobs        int           // trials at once; 0: as the files say
	Timeout     time.Duration // of a conversation; 0: as the files say
	Retries     *int          // of a model call that failed; nil: as the files say

	// PassRate has the trials of every scenario show that at least this share of them passes, such as 0.8. Rates down to
	// PassRate - Tolerance may pass too. Each claim is wrong in at most 1 - Confidence of runs. nil: as the files say.
	PassRate, Tolerance, Confidence *float64
	// Stop ends trials early, once the rest cannot change the verdict, or never; "": as the files say.
	Stop string
	// AllowUndecided lets scenarios pass of which the trials show neither that enough pass nor that too few do.
	AllowUndecided bool
	// Eager runs trials that may not be needed rather than wait for those that may decide: faster, for more calls.
	Eager bool

	OnFailure string // after a failed turn assertion: continue or stop; "": as the files say
	// FailOn is what makes ExitCode red besides failed assertions, errors and what the files name: guardrail, skipped,
	// warning, eval, flaky. It takes nothing away.
	FailOn []string
	// MaxTrials is how many trials are run, of all scenarios together, spent where a verdict is likeliest; 0: all.
	MaxTrials   int
	MaxFailures int  // start no trial after so many that failed; 0: whatever fails
	Strict      bool // warnings are errors
	Lenient     bool // unknown fields and parameters are warnings, for files that were written for other tools
	AllowEmpty  bool // a plan without trials is no error

	// Evals to run, by groups and by types of checks; empty is all of them.
	EvalGroups, EvalTypes []string
	SkipEvals             bool

	// Agents are tested, by the ids by which files name providers: in place of the provider of that id, or of none. Where
	// there are any and Providers is empty, only they are tested.
	Agents map[string]Agent

	// Tools are run in place of those of the same name in the files, which say what models are told of them.
	Tools map[string]ToolFunc

	Checks *Registry // checks beside those of arena; nil: none
	// Judges stand in place of models, by the names by which files ask for judges.
	Judges map[string]Judge
	Judge  string // who judges for checks that name nobody; "": the first judge of the files, else of Judges
	Hooks  []ProviderHook

	// Record keeps what models, agents, tools, judges and programs say in this folder, a file a trial, and Replay answers
	// from it: then none of them is called, nor a hook, and checks judge what was recorded. Agents, judges and tools of
	// the program are always called when something is recorded, and so are models where there are Hooks.
	Record, Replay string
	RecordMode     string   // new, what the recording does not hold; once; all, everything anew; none; "": new
	ReplayMissing  string   // of a trial without a recording: error, or record, which runs and records it; "": error
	Redact         []string // JSON fields that no recording and no report holds; the run itself has them

	// Cache keeps the replies of models in this folder, so that the same question is paid for once; "": nowhere. Agents
	// and judges of the program are not models.
	Cache string

	Metrics *Metrics // nil: none are measured
	// Traces is the URL of an OpenTelemetry collector (OTLP over HTTP) that is sent the spans of a run; "" sends nothing.
	// TraceContent also sends what was said. Headers and the rest of how to send are in the
	// OTEL_EXPORTER_OTLP_ variables. Spans that are lost are a warning of the result and change nothing.
	Traces       string
	TraceContent bool

	// Out is a folder for the journal and the reports; "": nothing is written. The journal has every trial as soon as it
	// ended, so that nothing that was paid for is lost with the process.
	Out string
	// OnEvent is told what happens, from one goroutine and in order. A run waits for it.
	OnEvent func(Event)

	Getenv func(name string) (value string, set bool) // for keys and variables; nil: the environment of the process
	Now    func() time.Time                           // nil: time.Now
}

// environment is that of the process.
func environment() map[string]string {
	all := map[string]string{}
	for _, entry := range os.Environ() { //nolint:forbidigo // the same
		name, value, _ := strings.Cut(entry, "=")
		all[name] = value
	}
	return all
}

// complete sets defaults, and refuses values that make no sense.
func (o *Options) complete() ([]namedHook, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Getenv == nil {
		o.Getenv = os.LookupEnv //nolint:forbidigo // the facade is where the environment of a Go program comes in
	}
	var errs []error
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
	o.FailOn = slices.Clone(o.FailOn)
	for i, word := range o.FailOn {
		reason, err := result.FailOnReason(word)
		if err != nil {
			bad("FailOn: %w", err)
		}
		o.FailOn[i] = reason
	}
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
	hooks, err := namedHooks(o.Hooks)
	return hooks, errors.Join(append(append(errs, o.checkCassettes()...), err)...)
}

// secrets are what nothing may hold that is written for a suite. own says that the environment is that of the process.
func secrets(suite *scenario.Suite, own bool, d *diag.List) *harness.Secrets {
	var env map[string]string
	if own {
		env = environment()
	}
	v := harness.NewSecrets(env)
	v.WatchAll(suite)
	v.KeepNamesOf(suite, d)
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

// source is what to load.
func (o *Options) source() scenario.Options {
	return scenario.Options{
		Dir: o.Dir, Paths: o.Paths, Config: o.Config, MockConfig: o.MockConfig, Memory: o.Files, Lenient: o.Lenient,
		Getenv: o.Getenv,
	}
}

// path is a path of the options for system calls.
func (o *Options) path(name string) string {
	if name == "" || o.Dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(o.Dir, name)
}

// read reads a file that a problem names.
func (o *Options) read(name string) ([]byte, error) {
	if data, ok := o.Files[filepath.ToSlash(name)]; ok {
		return data, nil
	}
	return plainfile.Read(o.path(name))
}

func (o *Options) filter() *evals.Filter {
	return &evals.Filter{Groups: o.EvalGroups, Types: o.EvalTypes, Skip: o.SkipEvals}
}

// plan is how to plan what was loaded.
func (o *Options) plan(jobs int, c *clients) runner.PlanOptions {
	tested := o.Providers
	if len(tested) == 0 {
		tested = o.agentNames()
	}
	return runner.PlanOptions{
		Selection: runner.Selection{
			Scenarios: o.Scenarios, Providers: tested, Regions: o.Regions, Tags: o.Tags,
		},
		Agents: c.unseated,
		Rule:   o.rule(),
		Trials: o.Trials, MockProvider: o.Mock || o.MockConfig != "", AllowEmpty: o.AllowEmpty, Strict: o.Strict,
		Lenient: o.Lenient, FailOn: o.FailOn, Judge: o.Judge, Jobs: jobs,
		Open: c.open, OpenEmbedder: c.OpenEmbedder,
		Calls: runner.CallParameters{Temperature: o.Temperature, MaxTokens: o.MaxTokens, Seed: o.Seed},
	}
}

// rule is what is asked of trials together.
func (o *Options) rule() runner.TrialOptions {
	return runner.TrialOptions{
		PassRate: o.PassRate, Tolerance: o.Tolerance, Confidence: o.Confidence, Stop: o.Stop,
		AllowUndecided: o.AllowUndecided,
	}
}

// run is how to run the plan.
func (o *Options) run(jobs int) runner.Options {
	return runner.Options{
		Events: o.OnEvent != nil || o.Traces != "", Again: o.recordAgain,
		Eager: o.Eager, MaxTrials: o.MaxTrials,
		Jobs: jobs, MaxFailures: o.MaxFailures, OnFailure: o.OnFailure, Strict: o.Strict, Now: o.Now,
		Temperature: o.Temperature, MaxTokens: o.MaxTokens, Seed: o.Seed,
		Crash: func(string, any, []byte) {}, // the trial says so
	}
}
