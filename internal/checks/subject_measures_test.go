package checks

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// TestWhatIsNotMeasured: every check that limits time, tokens or money is an error, also within not, if the measures
// are unknown for some calls. It never passes, fails or is skipped.
func TestWhatIsNotMeasured(t *testing.T) {
	t.Parallel()
	usage := &chat.Usage{InputTokens: 1, OutputTokens: 1}
	for name, known := range map[string]chat.Message{
		"nothing is known":     {},
		"the tokens are known": {Usage: usage}, // for the first of two calls
		"the cost is known":    {CostUSD: new(0.001)},
		"both are known":       {Usage: usage, CostUSD: new(0.001)},
	} {
		first := known
		first.Role, first.Content = chat.Assistant, "a"
		messages := []chat.Message{
			{Role: chat.User, Content: "x"}, first, {Role: chat.Assistant, Content: "b"},
		}
		for _, session := range []bool{false, true} {
			for check, params := range limitsOnMeasures(t) {
				s := &Subject{Messages: messages, Session: session, Calls: []Call{{Name: "f"}}, AllCalls: []Call{{Name: "f"}}}
				if session {
					s.Turn = -1
				}
				s.Measure(messages)
				holds := map[string]any{"check": map[string]any{"type": strings.Fields(check)[0], "params": params}}
				for written, given := range map[string]any{strings.Fields(check)[0]: params, "not": holds} {
					text, err := json.Marshal(given)
					if err != nil {
						t.Fatal(err)
					}
					v := judgeJSON(t, s, written, string(text))
					if v.Status != result.Errored || !strings.Contains(v.Error, "not measured") {
						t.Errorf("%s: %s as %s: %s %s%s%s", name, check, written, v.Status, v.Explanation, v.Error, v.SkipReason)
					}
				}
			}
		}
	}
}

var ofMeasures = regexp.MustCompile(`usd|cost|token|latency|(^|_)ms$|second|duration|elapsed`)

// ofOtherThings are parameters that limit something else: waits, keys, and lengths of texts.
var ofOtherThings = []string{"timeout_seconds", "timeout_ms", "auth_token", "max_tokens"}

// limitsOnMeasures finds the parameters that limit time, tokens or money, each with a limit that is never reached.
func limitsOnMeasures(t *testing.T) map[string]map[string]any {
	t.Helper()
	found := map[string]map[string]any{}
	seen := map[string]bool{}
	for _, d := range Builtin() {
		if d.Needs&NeedsUsage == 0 {
			for _, p := range d.Params() {
				if ofMeasures.MatchString(p.Name) && d.Needs&NeedsMedia == 0 && !slices.Contains(ofOtherThings, p.Name) {
					t.Errorf("%s has the limit %s and does not need what was measured", d.Name, p.Name)
				}
			}
			continue
		}
		for _, p := range d.Params() {
			if !ofMeasures.MatchString(p.Name) {
				continue
			}
			params := map[string]any{p.Name: 1e6}
			if d.Name == "trajectory" {
				params["steps"] = []any{map[string]any{"tool": "f"}}
			}
			found[d.Name+" "+p.Name] = params
			seen[d.Name] = true
		}
		if !seen[d.Name] {
			t.Errorf("%s needs what was measured and has no limit on it", d.Name)
		}
	}
	if len(found) < 9 {
		t.Errorf("only %d limits were found: %q", len(found), slices.Sorted(maps.Keys(found)))
	}
	return found
}
