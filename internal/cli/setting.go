package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// settable lists the flags that ARENA_* variables and .arena.yaml may set, sorted. They say how and where arena works,
// and do not affect verdicts.
var settable = []string{
	"ack-wait", "baseline", "cache", "ci", "color", "config", "dispatch", "dispatch-timeout", "dispatch-wait", "durable",
	"eager", "events",
	"fail-fast", "fail-on", "format", "give-back", "html-file", "idle", "jobs", "judge-gate", "junit-file",
	"junit-granularity", "keep", "listen", "markdown-file", "max-cost", "max-deliver", "max-failures", "max-sessions",
	"max-tokens", "max-trials", "metrics-by", "metrics-file", "metrics-label", "metrics-linger", "metrics-listen",
	"metrics-namespace",
	"metrics-push", "nats", "nats-ca", "nats-cert", "nats-creds", "nats-key", "no-create", "no-traces", "offline",
	"on-failure",
	"otlp-content", "otlp-endpoint", "out", "output", "prompt", "quiet", "record", "redact", "region",
	"replay-speed", "retries", "seed", "session-ttl", "stream", "strict", "temperature", "timeout", "verbose", "workers",
	"workers-timeout",
}

// Reasons why a flag may not be a setting. A setting that nobody sees must not make a run green.
const (
	doesNothing = "the command would not do its work"
	doesLess    = "less would run than the files ask for"
	asksOthers  = "another model would answer than the one under test"
	judgedElse  = "another judge would answer than the one that the files name"
	letsPass    = "mistakes would pass"
	says        = "it says what the command is about"
	overwrites  = "it lets files be overwritten"
	shapes      = "it belongs to one command"
	opens       = "it opens what files are kept from"
)

// typed lists the flags that may not be settings, with the reason.
var typed = map[string]string{
	"list": doesNothing, "estimate": doesNothing, "dry-run": doesNothing,

	"scenario": doesLess, "provider": doesLess, "tag": doesLess, "eval": doesLess, "rows": doesLess,
	"sample": doesLess, "shard": doesLess, "shard-by": says, "eval-groups": doesLess,
	"eval-types": doesLess, "skip-evals": doesLess, "trials": doesLess, "pass-rate": doesLess, "tolerance": doesLess,
	"confidence": doesLess, "stop": doesLess, "max": says, "min": says,
	"no-chaos": doesLess, "last-failed": doesLess, "resume": doesLess, "only": doesLess,

	"mock-provider": asksOthers, "mock-config": asksOthers, "replay": asksOthers, "replay-missing": asksOthers,
	"record-mode": asksOthers, "judge": judgedElse,

	"exit-zero": letsPass, "allow-empty": letsPass, "lenient": letsPass, "skip-unreadable": letsPass,
	"allow-uncertain": letsPass, "allow-undecided": letsPass, "known-failures": letsPass, "partial": says,

	"assert": says, "pack": says, "transcript": says, "criteria": says, "check": says, "threshold": says, "votes": says,
	"min-kappa": says, "from": says, "input": says, "filter": says, "filter-check": says, "drop-unknown": says,
	"dedup": says, "task-type": says, "var": says, "tool-results": says, "latencies": says, "default-response": says,
	"per-scenario": says, "turn": says, "trial": says, "wire": shapes, "online": shapes, "dot": shapes, "mermaid": shapes,
	"params": says, "why": says, "name": says, "env": says, "all": says, "scope": says, "filter-passed": says,

	"allow-private-urls": opens,

	"force": overwrites, "merge": overwrites, "write": overwrites, "json": shapes,
}

// workerSettings are flags that workers may get from settings: a worker decides no verdict, and a container has mostly
// variables.
var workerSettings = []string{"pack", "judge", "eval-groups", "eval-types", "lenient"}

// mayBeSet reports whether a setting may set a flag of a command, and why not.
func mayBeSet(cmd *cobra.Command, flag string) (bool, string) {
	if slices.Contains(settable, flag) || cmd.Name() == "worker" && slices.Contains(workerSettings, flag) {
		return true, ""
	}
	return false, typed[flag]
}

// notASetting marks a flag that has another meaning in this command than in others.
const notASetting = "means-something-else"

func isNotASetting(f *pflag.Flag) bool { return f.Annotations[notASetting] != nil }

// refuseVariables refuses variables for flags of the command that may not be settings.
func refuseVariables(app *App, cmd *cobra.Command, known []string) (errs []error) {
	for _, name := range known {
		flag := cmd.Flags().Lookup(canonical(name))
		if flag == nil || app.Env[variable(name)] == "" {
			continue
		}
		if ok, why := mayBeSet(cmd, flag.Name); !ok {
			errs = append(errs, notSetting(variable(name), flag.Name, why))
		}
	}
	return errs
}

func notSetting(variable, flag, why string) error {
	return fmt.Errorf("%s is not a setting: --%s works only on the command line, because %s\nunset the variable",
		variable, flag, why)
}

// refuseKeys refuses keys of .arena.yaml that may not be settings.
func (s *settings) refuseKeys(cmd *cobra.Command) {
	for name, n := range s.keys {
		if ok, why := mayBeSet(cmd, name); !ok {
			s.reader.Errorf(n, "no-setting", "%s is not a setting: --%s works only on the command line, because %s",
				name, name, why).Hint = "take the line out"
			delete(s.values, name)
		}
	}
}

// eachFlag visits the flags of every command below root.
func eachFlag(root *cobra.Command, visit func(c *cobra.Command, f *pflag.Flag)) {
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) { visit(c, f) })
		eachFlag(c, visit)
	}
}
