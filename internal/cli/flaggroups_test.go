package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestFlagGroups holds the headings of help texts against the flags that there are.
func TestFlagGroups(t *testing.T) {
	t.Parallel()
	root := newRoot(&App{})
	there := map[string]bool{}
	eachCommand(root, func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) { there[f.Name] = true })
	})
	var grouped []string
	for _, g := range flagGroups {
		for _, name := range g.flags {
			if !there[name] {
				t.Errorf("%s lists --%s, which no command has", g.title, name)
			}
			if slices.Contains(grouped, name) {
				t.Errorf("--%s stands in two groups", name)
			}
			grouped = append(grouped, name)
		}
	}
	run, _, err := root.Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	run.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !slices.Contains(grouped, f.Name) {
			t.Errorf("--%s of arena run stands in no group", f.Name)
		}
	})
}

// TestHelpListsEveryFlagOnce holds the help text of every command against its flags.
func TestHelpListsEveryFlagOnce(t *testing.T) {
	t.Parallel()
	eachCommand(newRoot(&App{}), func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		text := flagUsages(c.LocalFlags())
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			listed := 0
			for line := range strings.Lines(text) {
				if flagOf(line) == f.Name {
					listed++
				}
			}
			if want := map[bool]int{false: 1}[f.Hidden]; listed != want {
				t.Errorf("%s: the help text lists --%s %d times", c.CommandPath(), f.Name, listed)
			}
		})
	})
}

func eachCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, visit)
	}
}
