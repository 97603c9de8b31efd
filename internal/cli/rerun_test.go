package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/result"
)

// notRepeated are the flags of arena run that the command for one trial again leaves out, with the reason.
var notRepeated = map[string]string{
	"scenario": "filter", "provider": "filter", "region": "filter", "tag": "filter", "eval": "filter",
	"rows": "filter", "sample": "filter", "shard": "filter", "shard-by": "filter",
	"resume": "another run", "last-failed": "another run", "list": "runs nothing", "estimate": "runs nothing", "allow-empty": "it is not empty",
	"exit-zero": "reports only", "fail-fast": "one trial", "max-failures": "one trial", "max-cost": "one trial", "max-trials": "one trial", "jobs": "one trial", "eager": "changes no verdict", "retries": "changes no verdict",
	"replay-speed": "changes no verdict",
	"record":       "paid for once", "record-mode": "paid for once",
	"out": "output", "keep": "output", "format": "output", "junit-file": "output", "html-file": "output",
	"markdown-file": "output", "junit-granularity": "output", "events": "output",
	"ci": "screen", "quiet": "screen", "verbose": "screen", "color": "screen",
	"metrics-file": "output", "metrics-push": "output", "metrics-listen": "output", "metrics-linger": "output",
	"metrics-label": "output", "metrics-by": "output", "metrics-namespace": "output",
	"otlp-endpoint": "output", "otlp-content": "output",
	"dispatch": "of one run", "dispatch-wait": "of one run", "dispatch-timeout": "of one run", "stream": "of one run",
	"workers": "of one run", "workers-timeout": "of one run",
	"nats-creds": "of one run", "nats-ca": "of one run", "nats-cert": "of one run", "nats-key": "of one run",
}

// TestAgainRepeatsEveryFlag: what decides whether a trial passes is in the command that runs it again. Without it a
// trial that failed would pass.
func TestAgainRepeatsEveryFlag(t *testing.T) {
	t.Parallel()
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	(&runFlags{}).register(flags)
	flags.VisitAll(func(fl *pflag.Flag) {
		words := []string{"--" + fl.Name + "=" + sample(fl)}
		switch fl.Name { // those that say nothing alone
		case "record-mode":
			words = append(words, "--record=tapes")
		case "replay-missing", "redact":
			words = append(words, "--replay=tapes")
		case "shard-by":
			words = append(words, "--shard=2/5")
		}
		repeated := slices.ContainsFunc(asRun(t, words...).rerunCommand(), func(word string) bool {
			return word == "--"+fl.Name || strings.HasPrefix(word, "--"+fl.Name+"=")
		})
		if repeated == (notRepeated[fl.Name] != "") {
			t.Errorf("--%s: repeated is %v, and the reason to leave it out is %q", fl.Name, repeated, notRepeated[fl.Name])
		}
	})
}

// TestAgainNamesEveryProvider: trials of one scenario that failed alike run again together.
func TestAgainNamesEveryProvider(t *testing.T) {
	t.Parallel()
	trial := func(provider, region string) *result.Brief {
		return new(result.BriefOf(result.BriefShared{
			File: "s.yaml", Scenario: "refund", Provider: provider, Region: region,
		}))
	}
	for want, trials := range map[string][]*result.Brief{
		"arena run s.yaml --scenario refund --provider a":                         {trial("a", "default")},
		"arena run s.yaml --scenario refund --provider a --provider b":            {trial("a", "default"), trial("b", "default"), trial("a", "default")},
		"arena run s.yaml --scenario refund --provider a --region eu --region us": {trial("a", "eu"), trial("a", "us")},
	} {
		if got := rerunner(nil)(trials...); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
