package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestNoFlagIsOverwritten gives every flag with one value two of them: none of the commands may silently drop one.
func TestNoFlagIsOverwritten(t *testing.T) {
	t.Parallel()
	values := map[string][2]string{
		"string": {"one", "two"}, "int": {"1", "2"}, "int64": {"1", "2"}, "float64": {"0.1", "0.2"}, "duration": {"1s", "2s"},
		"stringToString": {"name=one", "name=two"},
	}
	seen := 0
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			kind := f.Value.Type()
			if kind == "bool" || kind == "count" || kind == "stringSlice" || kind == "stringArray" {
				return
			}
			two, known := values[kind]
			if !known {
				t.Errorf("%s --%s is of the type %q, which this test does not know", c.CommandPath(), f.Name, kind)
				return
			}
			seen++
			for range 2 {
				if err := c.Flags().Set(f.Name, two[0]); err != nil {
					t.Errorf("%s --%s %s: %v", c.CommandPath(), f.Name, two[0], err)
				}
			}
			err := c.Flags().Set(f.Name, two[1])
			if err == nil || !strings.Contains(flagError(c, err).Error(), two[1]) {
				t.Errorf("%s --%s %s --%s %s: %v; want an error that names both", c.CommandPath(), f.Name, two[0], f.Name,
					two[1], err)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(&App{}))
	if seen < 50 {
		t.Errorf("looked at %d flags; want all of them", seen)
	}
}
