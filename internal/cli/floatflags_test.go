package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/result"
)

// TestNoFlagTakesWhatIsNoNumber: NaN and infinities, which no report can hold, are refused for every flag.
func TestNoFlagTakesWhatIsNoNumber(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	eachCommand(newRoot(&App{}), func(c *cobra.Command) {
		c.Flags().VisitAll(func(fl *pflag.Flag) {
			if fl.Value.Type() == "float64" {
				tried[fl.Name] = true
			}
		})
	})
	refused := map[string]func(word string) error{
		"temperature": func(word string) error {
			f := asRun(t, "--temperature="+word)
			return f.overrideFlags.validate(f.given)
		},
		"max-cost": func(word string) error { f := asRun(t, "--max-cost="+word); return f.limitFlags.validate(f.given) },
	}
	for _, name := range []string{"pass-rate", "tolerance", "confidence"} {
		refused[name] = func(word string) error {
			f := asRun(t, "--"+name+"="+word)
			return f.overrideFlags.validate(f.given)
		}
	}
	for _, name := range []string{"threshold", "min-kappa"} {
		refused[name] = func(word string) error {
			var out bytes.Buffer
			cmd := newRoot(&App{Out: &out, Err: &out})
			cmd.SetArgs([]string{"judge", "calibrate", "no.csv", "--criteria", "nice", "--" + name, word})
			cmd.SetOut(&out)
			cmd.SetErr(&out)
			return cmd.ExecuteContext(t.Context())
		}
	}
	for name := range tried {
		check, known := refused[name]
		if !known {
			t.Errorf("--%s takes a number, and is not tried", name)
			continue
		}
		for _, word := range []string{"nan", "inf", "-inf"} {
			if err := check(word); err == nil || !strings.Contains(err.Error(), "--"+name+" must be") {
				t.Errorf("--%s %s: %v", name, word, err)
			}
		}
	}
}

// TestProviderIsNotAnsweredForUnasked: who names a provider, and goes on with a run of mock replies, says who answers.
func TestProviderIsNotAnsweredForUnasked(t *testing.T) {
	t.Parallel()
	for _, then := range []*result.Spec{{MockProvider: true}, {MockConfig: "mock.yaml"}} {
		for _, c := range []struct {
			words   []string
			refused bool
		}{
			{[]string{"--resume"}, false},
			{[]string{"--resume", "--provider=m"}, true},
			{[]string{"--last-failed", "--provider=m"}, true},
			{[]string{"--resume", "--provider=m", "--mock-provider"}, false},
			{[]string{"--resume", "--provider=m", "--mock-provider=false"}, false},
			{[]string{"--resume", "--provider=m", "--mock-config=mock.yaml"}, false},
		} {
			if err := asRun(t, c.words...).asksMocked(then); (err != nil) != c.refused {
				t.Errorf("%v: %v", c.words, err)
			}
		}
	}
}
