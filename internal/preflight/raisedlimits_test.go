package preflight

import (
	"reflect"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

// TestLiftedLimits goes through all limits of a policy: one that the scenario sets higher is told, by its key.
func TestLiftedLimits(t *testing.T) {
	t.Parallel()
	typ := reflect.TypeFor[scenario.ToolPolicy]()
	limits := 0
	for i := range typ.NumField() {
		set := func(n int) *scenario.ToolPolicy {
			p := &scenario.ToolPolicy{}
			switch f := reflect.ValueOf(p).Elem().Field(i); f.Kind() {
			case reflect.Int:
				f.SetInt(int64(n))
			case reflect.Float64:
				f.SetFloat(float64(n))
			default:
				return nil
			}
			return p
		}
		if set(1) == nil {
			continue
		}
		limits++
		name := typ.Field(i).Name
		if got := liftedLimits(set(3), set(2)); len(got) != 1 || !strings.Contains(got[0], "3 instead of ") {
			t.Errorf("%s: %q", name, got)
		}
		for _, pair := range [][2]int{{2, 3}, {2, 2}, {3, 0}, {0, 3}} {
			if got := liftedLimits(set(pair[0]), set(pair[1])); got != nil {
				t.Errorf("%s %v: %q", name, pair, got)
			}
		}
	}
	if limits != 5 {
		t.Errorf("%d limits", limits)
	}
	got := liftedLimits(&scenario.ToolPolicy{Choice: "auto"}, &scenario.ToolPolicy{Choice: "none"})
	if len(got) != 1 || got[0] != "tool_choice auto instead of none" {
		t.Errorf("%q", got)
	}
}
