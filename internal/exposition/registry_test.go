package exposition_test

import (
	"math"
	"strings"
	"testing"

	"github.com/prometheus/common/model"

	"github.com/arena-evals/arena/internal/exposition"
)

func TestRegisterRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		family exposition.Family
		want   string
	}{
		"taken":         {exposition.Family{Name: "taken"}, `there is a metric "taken" already`},
		"no name":       {exposition.Family{}, `"" is no name for a metric`},
		"a name":        {exposition.Family{Name: "a-b"}, `"a-b" is no name for a metric`},
		"a label":       {exposition.Family{Name: "x", Labels: []string{"a:b"}}, `"a:b" is no name for a label`},
		"a label twice": {exposition.Family{Name: "x", Labels: []string{"a", "b", "a"}}, `two labels called "a"`},
		"a fixed label": {exposition.Family{Name: "x", Labels: []string{"env"}}, `two labels called "env"`},
		"le": {exposition.Family{Name: "x", Type: exposition.Histogram, Labels: []string{"le"}},
			`"le" is no name for a label`},
		"falling": {exposition.Family{Name: "x", Type: exposition.Histogram, Buckets: []float64{2, 1}},
			"the buckets [2 1] do not rise"},
		"level": {exposition.Family{Name: "x", Type: exposition.Histogram, Buckets: []float64{1, 1}}, "do not rise"},
		"no number": {exposition.Family{Name: "x", Type: exposition.Histogram, Buckets: []float64{1, math.NaN()}},
			"do not rise"},
	} {
		r := exposition.NewRegistry(map[string]string{"env": "ci"})
		register(t, r, exposition.Family{Name: "taken", Type: exposition.Gauge})
		if _, err := r.Register(c.family); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", "a", "A9", "_", ":", ":9", "9a", "a:b", "a b", "a-b", "a\n", "ä", "a\xff", "`", "@", "[", "{", "z", "Z", "__a",
	} {
		if got, want := exposition.ValidName(name), model.LegacyValidation.IsValidMetricName(name); got != want {
			t.Errorf("metric %q: %v", name, got)
		}
		if got, want := exposition.ValidLabel(name), model.LegacyValidation.IsValidLabelName(name); got != want {
			t.Errorf("label %q: %v", name, got)
		}
	}
}
