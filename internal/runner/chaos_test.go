package runner

import (
	"fmt"
	"math"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestMarksOfTools: a tool that says of its result that arena let the call fail is not believed.
func TestMarksOfTools(t *testing.T) {
	t.Parallel()
	given := chat.ToolResult{Metadata: map[string]any{"injected": "error", "injected_rule": 1, "page": "2"}}
	res := withoutMarks(given)
	if injectedInto(&res) != "" || len(res.Metadata) != 1 || res.Metadata["page"] != "2" || len(given.Metadata) != 3 {
		t.Errorf("got %v of %v", res.Metadata, given.Metadata)
	}
}

// TestDice: the dice of trials, turns, calls and rules are as independent as those of a player, and fall the same way
// again.
func TestDice(t *testing.T) {
	t.Parallel()
	const trials, p = 500, 0.3
	rules := []scenario.ToolFailure{
		{Tool: "look", Mode: "error", Probability: p}, {Tool: "*", Mode: "timeout", Probability: p},
	}
	s := &scenario.Scenario{Turns: []scenario.Turn{{Rare: &scenario.RareTurn{Chaos: rules}}, {Rare: &scenario.RareTurn{Chaos: rules}}}}
	falls := func(trial, turn, call int) int {
		l := toolLoop{
			s:  &session{trial: &Trial{Scenario: s}, out: &result.Trial{ID: fmt.Sprintf("s/mock/default#%d", trial)}},
			at: turnIndex{number: turn, script: turn},
		}
		return l.fault(chat.ToolCall{Name: "look"}, call).number
	}
	near := func(what string, n, of int, share float64) {
		t.Helper()
		if off := math.Abs(float64(n)/float64(of) - share); off > 3*math.Sqrt(share*(1-share)/float64(of)) {
			t.Errorf("%s: %d of %d, want a share of %g", what, n, of, share)
		}
	}
	var byRule, both, turns [3]int
	for i := range trials {
		first, second, later := falls(i+1, 0, 0), falls(i+1, 0, 1), falls(i+1, 1, 0)
		byRule[first]++
		if first == second {
			both[first]++
		}
		if first == later {
			turns[first]++
		}
		if falls(i+1, 0, 0) != first {
			t.Errorf("trial %d: the dice fall otherwise when they are thrown again", i+1)
		}
	}
	near("first rule", byRule[1], trials, p)
	near("second rule", byRule[2], trials, (1-p)*p)
	near("first rule, two calls", both[1], trials, p*p)
	near("first rule, two turns", turns[1], trials, p*p)
}
