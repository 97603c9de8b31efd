package cli

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestNoFlagIsBlank gives every flag of every command a blank value, one after the other. It is refused.
func TestNoFlagIsBlank(t *testing.T) {
	t.Parallel()
	tried := 0
	var commands func(root *cobra.Command, visit func(*cobra.Command))
	commands = func(c *cobra.Command, visit func(*cobra.Command)) {
		visit(c)
		for _, sub := range c.Commands() {
			commands(sub, visit)
		}
	}
	commands(newRoot(&App{}), func(c *cobra.Command) {
		if c.HasParent() && (c.PersistentPreRunE != nil || c.PersistentPreRun != nil) {
			t.Errorf("%s: its own PersistentPreRun takes the place of that of arena", c.CommandPath())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			for _, blank := range []string{"", " "} {
				fresh, _, err := newRoot(&App{}).Find(strings.Fields(c.CommandPath())[1:])
				if err != nil {
					t.Fatal(err)
				}
				tried++
				if fresh.Flags().Set(f.Name, blank) != nil {
					continue
				}
				err = notBlank(fresh, nil)
				may := mayBeBlank[c.CommandPath()+" "+f.Name] || f.Name == "fail-on"
				if toldByCommand(fresh, f.Name) {
					args := append(strings.Fields(c.CommandPath())[1:], "--"+f.Name, blank)
					var complaint strings.Builder
					app := &App{Args: args, Out: io.Discard, Err: &complaint, Now: time.Now}
					if Main(app) != 2 || !strings.Contains(complaint.String(), "--"+f.Name+" is empty") {
						t.Errorf("arena %q: %s", args, complaint.String())
					}
					continue
				}
				if told := err != nil && strings.Contains(err.Error(), "--"+f.Name+" is empty"); told == may {
					t.Errorf("%s --%s %q: %v", c.CommandPath(), f.Name, blank, err)
				}
			}
		})
		if c.Runnable() && notBlank(c, []string{"x", ""}) == nil {
			t.Errorf("%s takes an empty argument", c.CommandPath())
		}
	})
	if tried < 400 {
		t.Errorf("only %d values were tried", tried)
	}
}
