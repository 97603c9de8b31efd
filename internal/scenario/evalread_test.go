package scenario_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/scenario"
)

func TestEvalProblems(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`[]`: {},
		`[{"id": "a", "type": "contains", "trigger": "every_turn"}]`: {},
		`[{}]`: {"id", "trigger", "type"},
		`[{"id": "a", "type": "x", "trigger": "sample_turns", "sample_percentage": -1},
		  {"id": "a", "type": "x", "trigger": "often"}]`: {"id", "sample_percentage", "trigger"},
		`[{"id": "a b", "type": "", "trigger": "every_turn"}]`: {"id", "type"},
		`[{"id": "a", "type": "x", "trigger": "every_turn", "threshold": {"min_score": 2},
		   "metric": {"name": "", "labels": {"a-b": "c", "__d": "e"}, "buckets": [1, 1], "range": {"min": 1, "max": 0}}}]`: {
			"metric.buckets", "metric.labels", "metric.name", "metric.range", "metric.type", "threshold.min_score"},
		`[{"id": "a", "type": "x", "trigger": "every_turn", "metric": {"name": "n", "type": "meter", "lables": {}}}]`: {
			"metric.lables", "metric.type"},
		`[{"id": "a", "type": "x", "trigger": "every_turn", "groups": ["x,y"], "enabled": "perhaps"}]`: {"enabled", "groups"},
		`{`: {""},
	} {
		if diff := cmp.Diff(want, scenario.EvalProblems([]byte(text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
