package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

// What is found within other words alone is told of where it hardly is what was meant, by whichever check finds it.
func TestFoundWithinWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, reply, word string }{
		{"no", "You know it.", "know"}, {"no", "I cannot", "cannot"}, {"no", "Not now", "Not"}, {"AI", "She said so", "said"},
		{"red", "It was ordered", "ordered"}, {"$5", "That costs $50.", "$50"}, {"5", "15 days", "15"}, {"$1", "$1,000", "$1,000"},
		{"не", "интернет", "интернет"}, {"yes", "yesterday", "yesterday"}, {"not", "Notice", "Notice"}, {"step 1", "See step 12.", "step 12"}, {"é", "cafés", "cafés"},

		{"no", "No. You know it.", ""}, {"no", "no_way", ""}, {"id", "orderId", ""}, {"id", "two ids", ""}, {"ok", "Okay", ""},
		{"min", "5 minutes", ""}, {"refund", "prerefunded", ""}, {"ai", "A.I. or AI", ""}, {"$5", "$5.00", ""}, {"$5", "$5", ""},
		{"A-10", "A-1001", ""}, {"+49", "+49170123", ""}, {"192", "192168001", ""}, {"20", "ID-204", ""}, {"007", "0071", ""},
		{"5", "5 or 15", ""}, {"no", "", ""}, {"ab", "abc", "abc"}, {"bye", "Goodbye", ""}, {"fee", "two fees", ""}, {"天", "天気", ""},
	} {
		quoted := jsonvalue.Compact(c.text)
		for check, params := range map[string]string{
			"contains": `{"patterns": [` + quoted + `]}`, "contains_any": `{"patterns": ["zzz", ` + quoted + `]}`,
			"output_contains": `{"value": ` + quoted + `}`,
			"all_of":          `{"checks": [{"type": "contains", "params": {"patterns": [` + quoted + `]}}]}`,
			"not": `{"check": {"type": "not", "params": {"check": {"type": "contains", "params": {"patterns": [` + quoted +
				`]}}}}}`,
		} {
			compiled, problems := compileJSON(&Compiler{}, check, params, ScopeTurn, nil)
			s := &Subject{Messages: []chat.Message{{Role: chat.User}, {Role: chat.Assistant, Content: c.reply}}}
			got := compiled.Doubts(s)
			told := len(got) == 1 && strings.Contains(got[0], "only within "+jsonvalue.Compact(c.word))
			if told != (c.word != "") || len(got) > 0 && !told {
				t.Errorf("%s %q in %q: %q %v", check, c.text, c.reply, got, problems)
			}
		}
	}
	compiled, _ := compileJSON(&Compiler{}, "contains", `{"patterns": ["no"], "max_score": 0}`, ScopeTurn, nil)
	if got := compiled.Doubts(&Subject{Messages: []chat.Message{{Role: chat.Assistant, Content: "know"}}}); got != nil {
		t.Errorf("a ban: %q", got)
	}
}

// Calls with nearly the arguments that must not come are told of, however that is written.
func TestNearlyForbiddenArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ forbidden, called, want string }{
		{`"urgent"`, `"URGENT"`, "case"}, {`"urgent"`, `" urgent"`, "spaces"}, {`"*"`, `5`, "stands for itself"},
		{`{"city": "Rome"}`, `{"city": "Rome", "zip": 1}`, "further keys"},
		{`{"to": {"city": "Rome"}}`, `{"to": {"city": "Rome", "zip": 1}}`, "further keys"},

		{`"urgent"`, `"less urgent"`, ""}, {`"*"`, `"all"`, ""}, {`{}`, `{"city": "Rome"}`, ""}, {`" "`, `""`, ""},
		{`{"city": "Rome"}`, `{"city": "Bern", "zip": 1}`, ""}, {`{"city": "Rome"}`, `"Rome"`, ""}, {`5`, `6`, ""},
	} {
		args, err := chat.DecodeJSON([]byte(`{"note": ` + c.called + `}`))
		if err != nil {
			t.Fatal(err)
		}
		s := &Subject{Session: true, Calls: []Call{{Name: "pay", Args: args.(map[string]any)}, {Name: "other"}}}
		for check, params := range map[string]string{
			"tool_args_excluded_session": `{"tool_name": "pay", "excluded_args": {"note": %}}`,
			"not":                        `{"check": {"type": "tool_args", "params": {"tool_name": "pay", "expected_args": {"note": %}}}}`,
			"tool_args":                  `{"tool_name": "pay", "expected_args": {"note": %}, "max_score": 0}`,
			"tool_calls_with_args":       `{"tool_name": "pay", "expected_args": {"note": %}, "max_score": 0}`,
		} {
			params = strings.ReplaceAll(params, "%", c.forbidden)
			compiled, problems := compileJSON(&Compiler{}, check, params, ScopeSession, nil)
			if compiled == nil {
				t.Fatalf("%s: %v", check, problems)
			}
			if v := compiled.Judge(t.Context(), s); v.Status != result.Passed {
				t.Errorf("%s %s: %+v", check, params, v)
			}
			got := compiled.Doubts(s)
			if (len(got) == 1) != (c.want != "") || !slices.ContainsFunc(append(got, c.want), func(text string) bool {
				return strings.Contains(text, c.want)
			}) || len(got) == 1 && !strings.Contains(got[0], c.want) {
				t.Errorf("%s of %s: %q, want %q", params, c.called, got, c.want)
			}
		}
	}
	compiled, _ := compileJSON(&Compiler{}, "tool_args", `{"tool_name": "pay", "expected_args": {"note": "a"}}`, ScopeTurn, nil)
	if got := compiled.Doubts(&Subject{Calls: []Call{{Name: "pay", Args: map[string]any{"note": "A"}}}}); got != nil {
		t.Errorf("what must come: %q", got)
	}
}
