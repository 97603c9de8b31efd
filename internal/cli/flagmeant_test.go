package cli_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/cli"
)

// TestFlagsOfOtherTools: every name that other tools have for a flag is none of ours, is told once, and leads to a flag
// that there is; one for which there is none leads to no other that only looks alike.
func TestFlagsOfOtherTools(t *testing.T) {
	t.Parallel()
	app := func() (*cli.App, *bytes.Buffer) {
		var errs bytes.Buffer
		return &cli.App{Out: &bytes.Buffer{}, Err: &errs, In: strings.NewReader(""), Env: map[string]string{}}, &errs
	}
	flags := map[string][]string{}
	for _, command := range []string{"run", "eval"} {
		a, _ := app()
		c, _, err := cli.NewRootCmd(a).Find([]string{command})
		if err != nil {
			t.Fatal(err)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) { flags[command] = append(flags[command], f.Name) })
	}
	seen := map[string]string{}
	for ours, theirs := range cli.FlagsElsewhere {
		if ours != "" && !slices.Contains(flags["run"], ours) && !slices.Contains(flags["eval"], ours) {
			t.Errorf("there is no flag --%s", ours)
		}
		for _, name := range theirs {
			if seen[name] != "" || slices.Contains(flags["run"], name) {
				t.Errorf("--%s: is it --%s, --%s or a flag of ours?", name, ours, seen[name])
			}
			seen[name] = ours
			got, known := cli.FlagElsewhere(name, flags["run"])
			if want := ours; !slices.Contains(flags["run"], ours) && got != "" || slices.Contains(flags["run"], ours) && got != want || !known {
				t.Errorf("--%s: got %q, %v", name, got, known)
			}
		}
	}
}
