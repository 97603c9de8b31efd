package result

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// A check, or a part of one, that applied in no trial of a run that passed is noted; any that applied once is not.
func TestChecksThatNeverApplied(t *testing.T) {
	t.Parallel()
	at := func(line int32) diag.Pos { return diag.Pos{File: "s.yaml", Line: line, Col: 1} }
	idle := func(line int32) Verdict {
		return Verdict{Type: "contains", Position: at(line), Status: Skipped, Skipped: true, Passed: true, SkipReason: "no tool was called"}
	}
	fine := Verdict{Type: "regex", Position: at(1), Status: Passed, Passed: true}
	gated := Verdict{Type: "llm_judge", Position: at(5), Status: Skipped, SkipReason: "another check failed"}
	whole := func(parts ...jsonvalue.Object) Verdict {
		return Verdict{
			Type: "all_of", Position: at(3), Status: Passed, Passed: true, Details: jsonvalue.Object{"checks": parts},
		}
	}
	part := func(status, why string) jsonvalue.Object {
		return jsonvalue.Object{"type": "regex", "status": status, "skip_reason": why}
	}
	nested := jsonvalue.Object{"type": "not", "status": "passed", "details": jsonvalue.Object{"checks": []any{
		part("skipped", "no tool was called"),
	}}}
	for name, c := range map[string]struct {
		trials []Trial
		want   []string
	}{
		"one of two": {
			[]Trial{{Status: Passed, Conversation: []Verdict{fine, idle(2), gated}}},
			[]string{"s.yaml:2:1: contains tested nothing, as it never applied: no tool was called"},
		},
		"applied once": {[]Trial{
			{Status: Passed, Conversation: []Verdict{idle(2)}},
			{Status: Passed, Turns: []Turn{{Assertions: []Verdict{{Type: "contains", Position: at(2), Status: Passed, Passed: true}}}}},
		}, nil},
		"a trial failed": {[]Trial{{Status: Failed, Conversation: []Verdict{idle(2)}}, {Status: Passed}}, nil},
		"parts": {
			[]Trial{{Status: Passed, Conversation: []Verdict{
				whole(part("passed", ""), part("skipped", "no tool was called"), part("skipped", NotNeeded), nested),
			}}},
			[]string{
				"s.yaml:3:1: regex within all_of tested nothing, as it never applied: no tool was called",
				"s.yaml:3:1: regex within not within all_of tested nothing, as it never applied: no tool was called",
			},
		},
		"a part that applied once": {[]Trial{
			{Status: Passed, Conversation: []Verdict{whole(part("skipped", "no tool was called"))}},
			{Status: Passed, Conversation: []Verdict{whole(part("passed", ""))}},
		}, nil},
	} {
		for i := range 2 {
			var collector Collector
			for _, trial := range c.trials {
				if i == 1 { // as it is read again
					text, err := json.Marshal(trial)
					if err == nil {
						trial = Trial{}
						err = json.Unmarshal(text, &trial)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				collector.Add(&trial)
			}
			var run Run
			collector.Finish(&run)
			got := slices.Sorted(maps.Keys(run.Notices))
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
	}
}
