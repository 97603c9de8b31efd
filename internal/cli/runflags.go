package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// runFlags is the command line of `arena run`.
type runFlags struct {
	paths  []string
	config string

	scenarios, providers, regions, tags, evals []string
	rerunFailed, list                          bool

	mock       bool
	mockConfig string

	temperature      float64
	maxTokens        int
	seed             int64
	trials           int
	jobs             int
	timeout          time.Duration
	retries          int
	onFailure        string
	failOn           []string
	failFast         bool
	lenient, strict  bool
	allowEmpty       bool
	out              string
	formats          []string
	junitFile        string
	htmlFile         string
	markdownFile     string
	junitGranularity string
	ci, quiet        bool
	verbose          int
	color            string

	set map[string]bool // flags that were given, by name
}

// Names that other tools taught people to type.
var flagAliases = map[string]string{
	"concurrency": "jobs", "formats": "format", "simple": "ci", "scenarios": "scenario", "providers": "provider",
	"dry-run": "list", "html": "html-file",
}

func (f *runFlags) register(fl *pflag.FlagSet) {
	fl.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if alias, ok := flagAliases[name]; ok {
			name = alias
		}
		return pflag.NormalizedName(name)
	})
	fl.SortFlags = false
	fl.StringVarP(&f.config, "config", "c", "", "arena `file` (default: config.arena.yaml, else the scenarios folder)")

	fl.StringSliceVar(&f.scenarios, "scenario", nil, "only these scenarios (`id`, repeat or separate by commas)")
	fl.StringSliceVar(&f.providers, "provider", nil, "only these providers: a configured `id`, mock, or type/model\nsuch as openai/gpt-4o-mini, ollama/llama3.2")
	fl.StringSliceVar(&f.regions, "region", nil, "run once for each region (`name`, seen by templates as {{region}})")
	fl.StringSliceVar(&f.tags, "tag", nil, "only scenarios with one of these tags (`name`)")
	fl.StringSliceVar(&f.evals, "eval", nil, "only these recording evals (`id`)")
	fl.BoolVar(&f.rerunFailed, "rerun-failed", false, "only the trials that did not pass in the last run into the same folder")
	fl.BoolVar(&f.list, "list", false, "print the trials of the plan and run nothing (also --dry-run)")

	fl.BoolVar(&f.mock, "mock-provider", false, "answer for every provider from mock replies, without any network")
	fl.StringVar(&f.mockConfig, "mock-config", "", "mock reply `file`; wins over the providers' own")
	fl.Float64Var(&f.temperature, "temperature", 0, "sampling temperature for every call; 0 is a value (`number`)")
	fl.Int64Var(&f.seed, "seed", 0, "sampling seed for every call (`number`)")
	fl.IntVar(&f.maxTokens, "max-tokens", 0, "limit of every reply (`tokens`)")
	fl.IntVar(&f.trials, "trials", 0, "repeat every scenario `n` times instead of its own number")

	fl.IntVarP(&f.jobs, "jobs", "j", 0, "trials at once (`n`; default: the config's concurrency, else 6)")
	fl.DurationVar(&f.timeout, "timeout", 0, "limit of one conversation (`span`; default: the config's run_timeout, else 5m)")
	fl.IntVar(&f.retries, "retries", -1, "how often to try a failed model call again (`n`; default 3)")
	fl.StringVar(&f.onFailure, "on-failure", "", "after a failed turn assertion: continue or stop the conversation (`what`)")
	fl.BoolVar(&f.failFast, "fail-fast", false, "end the run at the first trial that fails")
	fl.StringSliceVar(&f.failOn, "fail-on", nil, "what makes the exit status red: assertion_failure, error, skipped (`list`)")
	fl.BoolVar(&f.strict, "strict", false, "warnings are errors, such as a scenario that asserts nothing")
	fl.BoolVar(&f.lenient, "lenient", false, "unknown fields and parameters are warnings, for files written for another tool")
	fl.BoolVar(&f.allowEmpty, "allow-empty", false, "a plan without trials is no error")

	fl.StringVarP(&f.out, "out", "o", "", "results `folder` (default: the config's output.dir, else out)")
	fl.StringSliceVar(&f.formats, "format", nil, "reports besides results.json: json, junit, html, markdown (`list`; default all)")
	fl.StringVar(&f.junitFile, "junit-file", "", "where to write JUnit (`file`)")
	fl.StringVar(&f.htmlFile, "html-file", "", "where to write the HTML report (`file`)")
	fl.StringVar(&f.markdownFile, "markdown-file", "", "where to write Markdown (`file`)")
	fl.StringVar(&f.junitGranularity, "junit-granularity", "scenario", "what a JUnit test case is: scenario, turn or check (`unit`)")

	fl.BoolVar(&f.ci, "ci", false, "plain output without colour or redrawing, as in a pipe")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "only failures and the summary")
	fl.CountVarP(&f.verbose, "verbose", "v", "also requests and replies, cut short; -vv whole")
	fl.StringVar(&f.color, "color", "auto", "auto, always or never (`when`)")
}

// complete takes what only the parsed flags know and refuses values that cannot be meant.
func (f *runFlags) complete(cmd *cobra.Command, args []string) error {
	f.paths, f.set = args, map[string]bool{}
	cmd.Flags().Visit(func(fl *pflag.Flag) { f.set[fl.Name] = true })
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if f.set["temperature"] && (f.temperature < 0 || f.temperature > 2) {
		bad("--temperature must be between 0 and 2, found %v", f.temperature)
	}
	for flag, n := range map[string]int{"max-tokens": f.maxTokens, "trials": f.trials, "jobs": f.jobs} {
		if f.set[flag] && n < 1 {
			bad("--%s must be at least 1, found %d", flag, n)
		}
	}
	if f.set["retries"] && f.retries < 0 {
		bad("--retries must be at least 0, found %d", f.retries)
	}
	if f.set["timeout"] && f.timeout <= 0 {
		bad("--timeout must be above 0, found %s", f.timeout)
	}
	errs = append(errs,
		oneOf("on-failure", []string{f.onFailure}, "", "continue", "stop"),
		oneOf("color", []string{f.color}, "auto", "always", "never"),
		oneOf("junit-granularity", []string{f.junitGranularity}, "scenario", "turn", "check"),
		oneOf("format", f.formats, "json", "junit", "html", "markdown"),
		oneOf("fail-on", f.failOn, result.FailOnAssertion, result.FailOnError, result.FailOnSkipped),
	)
	if len(f.evals) > 0 {
		bad("--eval %s: evals over recordings are not available in this version of arena", strings.Join(f.evals, ","))
	}
	if f.set["fail-on"] && f.failOn == nil {
		f.failOn = []string{}
	}
	return errors.Join(errs...)
}

func oneOf(flag string, values []string, words ...string) error {
	for _, v := range values {
		if slices.Contains(words, v) {
			continue
		}
		known := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
		err := fmt.Errorf("--%s cannot be %q; expected %s", flag, v, strings.Join(known, ", "))
		if near := diag.Nearest(v, known); near != "" {
			err = fmt.Errorf("%w\ndid you mean %q?", err, near)
		}
		return err
	}
	return nil
}

// given returns a pointer to a flag's value, or nil when it was not given: 0 is a value.
func given[T any](f *runFlags, name string, v T) *T {
	if f.set[name] {
		return &v
	}
	return nil
}
