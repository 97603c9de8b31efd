package checks

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// TestMaxCostOfWhatIsNotKnown: an unknown cost neither keeps nor breaks a limit; the known part may break it.
func TestMaxCostOfWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	messages := []chat.Message{
		{Role: chat.User, Content: "a"}, {Role: chat.Assistant, Content: "b", CostUSD: new(0.03)},
		{Role: chat.User, Content: "c"}, {Role: chat.Assistant, Content: "d"},
	}
	const missing = "not measured: the cost of 1 of 2 model calls is not known; " +
		"write pricing in the config or in the file of the provider"
	for _, tc := range []struct {
		name, params string
		want         result.Status
		says         string
	}{
		{"within the limit", `{"max_usd": 0.1}`, result.Errored, missing},
		{"broken by what is known", `{"max_usd": 0.01}`, result.Failed,
			"cost $0.03, at most $0.01 allowed (without 1 model call of unknown cost)"},
	} {
		for _, session := range []bool{false, true} {
			s := &Subject{Messages: messages, Turn: 1, Start: 2, Session: session}
			if session {
				s.Turn, s.Start = -1, 0
			}
			v := judgeJSON(t, s, "max_cost", tc.params)
			if got := v.Explanation + v.Error + v.SkipReason; v.Status != tc.want || got != tc.says {
				t.Errorf("%s: %s: %s; want %s: %s", tc.name, v.Status, got, tc.want, tc.says)
			}
		}
	}
	none := &Subject{Session: true, Messages: messages[:1], Turn: -1}
	if v := judgeJSON(t, none, "max_cost", `{"max_usd": 0}`); v.Status != result.Passed {
		t.Errorf("no call at all: %s: %s%s", v.Status, v.Explanation, v.Error)
	}
}
