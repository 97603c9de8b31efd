package cli

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestEveryFlagIsClassified: a new flag is put into settable, or into typed with its reason. A flag that could make a
// run do less, or look better, must not come from where nobody looks.
func TestEveryFlagIsClassified(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	eachFlag(newRoot(&App{}), func(c *cobra.Command, f *pflag.Flag) {
		if f.Name == "help" || f.Name == "no-descriptions" { // the latter is of cobra's completion
			return
		}
		found[f.Name] = true
		_, only := typed[f.Name]
		if may := slices.Contains(settable, f.Name); may == only {
			t.Errorf("--%s of %s must stand in settable or in typed, and in one of them", f.Name, c.CommandPath())
		}
	})
	for _, name := range settable {
		if !found[name] {
			t.Errorf("no command has the flag --%s of settable", name)
		}
	}
	for name, why := range typed {
		if !found[name] || why == "" {
			t.Errorf("no command has the flag --%s of typed, or its reason is missing", name)
		}
	}
	for _, name := range workerSettings {
		if typed[name] == "" {
			t.Errorf("--%s is a setting anyway", name)
		}
	}
	if !slices.IsSorted(settable) {
		t.Error("settable is not sorted")
	}
}

// TestNoVariableMakesARunDoLess: each flag of run, eval and rejudge that is no setting is refused as a variable, with
// any value.
func TestNoVariableMakesARunDoLess(t *testing.T) {
	t.Parallel()
	root := newRoot(&App{})
	for _, c := range root.Commands() {
		if !slices.Contains([]string{"run", "eval", "rejudge"}, c.Name()) {
			continue
		}
		known := flagNames(root)
		for _, name := range known {
			flag := c.Flags().Lookup(canonical(name))
			if flag == nil {
				continue
			}
			_, only := typed[flag.Name]
			app := &App{Env: map[string]string{variable(name): "false"}}
			if got := len(refuseVariables(app, c, known)) > 0; got != only {
				t.Errorf("%s of %s: refused %v, want %v", variable(name), c.Name(), got, only)
			}
		}
	}
}
