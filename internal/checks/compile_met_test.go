package checks

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestAskedOnlyWhereMet: a check that applies only if its tool was called is not judged in other turns.
func TestAskedOnlyWhereMet(t *testing.T) {
	t.Parallel()
	a := &scenario.When{ToolCalled: "a"}
	for _, c := range []struct {
		check, params string
		when          *scenario.When
		want          bool
	}{
		{"tools_called", "{tools: [a]}", a, true},
		{"tools_called", "{tools: [a], min_calls: 2}", a, false},
		{"tools_called", "{tools: [a], max_calls: 1}", a, false},
		{"tools_called", "{tools: [a, b]}", a, false},
		{"tools_called", "{tools: [b]}", a, false},
		{"tools_not_called", "{tools: [a]}", a, false},
		{"tool_call_count", "{tool: a, min: 1}", a, true},
		{"tool_call_count", "{min: 1}", a, true},
		{"tool_call_count", "{min: 2}", a, false},
		{"tool_call_count", "{min: 2}", &scenario.When{MinToolCalls: 2}, true},
		{"tool_call_count", "{min: 1, max: 3}", a, false},
		{"tool_call_sequence", "{sequence: [a]}", a, true},
		{"tool_call_sequence", "{sequence: [a, b]}", a, false},
		{"tool_order", "{order: [a]}", a, true},
		{"agent_invoked", "{agents: [a]}", a, true},
		{"tool_calls_with_args", "{tool_name: a, expected_args: {x: 1}}", a, false},
	} {
		var d diag.List
		docs := node.Parse(&node.Reader{File: "a.yaml", Diags: &d}, []byte(c.params))
		(&Compiler{}).Compile(&scenario.Check{Type: c.check, Params: docs[0], Settled: true, When: c.when}, &d)
		told := slices.ContainsFunc(d.Sorted(), func(p diag.Diagnostic) bool { return p.Code == "cannot-fail" })
		if told != c.want {
			t.Errorf("%s %s when %+v: told %v: %v", c.check, c.params, c.when, told, d.Sorted())
		}
	}
}

// TestMetInEarlierTurns: a turn warns if its order of calls was complete before the turn.
func TestMetInEarlierTurns(t *testing.T) {
	t.Parallel()
	call := func(name string) chat.Message {
		return chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: name, Name: name, Args: chat.Args{}}}}
	}
	say := func(role chat.Role) chat.Message { return chat.Message{Role: role, Content: "x"} }
	messages := []chat.Message{say(chat.User), call("a"), say(chat.Assistant), say(chat.User), call("b"), say(chat.Assistant)}
	for _, c := range []struct {
		check, params string
		told          bool
	}{
		{"tool_order", "{order: [a]}", true},
		{"tool_order", "{order: [a, b]}", false},
		{"tool_order", "{order: [b]}", false},
		{"trajectory", "{steps: [{tool: a}], min_accuracy: 0.5}", true},
		{"trajectory", "{steps: [{tool: a}, {tool: b}]}", false},
		{"tool_call_sequence", "{sequence: [b]}", false},
	} {
		compiled, problems := compileYAML(c.check, c.params)
		if compiled == nil {
			t.Fatalf("%s: %v", c.check, problems)
		}
		s := &Subject{Messages: messages, Start: 3, Turn: 1}
		all := CallsOf(messages)
		s.Calls = slices.DeleteFunc(slices.Clone(all), func(c Call) bool { return c.Turn < 1 })
		v := compiled.Judge(context.Background(), s)
		if v.Status != result.Passed {
			t.Fatalf("%s %s: %+v", c.check, c.params, v)
		}
		told := slices.ContainsFunc(compiled.Remarks(t.Context(), s, &v), func(text string) bool {
			return strings.Contains(text, "held before this turn began")
		})
		if told != c.told {
			t.Errorf("%s %s: told %v", c.check, c.params, told)
		}
	}
}

// TestBansOfWholeReplies: an anchored pattern of words bans only a reply that equals it.
func TestBansOfWholeReplies(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		"^denied$": true, "^(denied|refused)$": true, "(?i)^denied$": true, "^denied": false, "denied": false,
		`^\s*$`: false, "^.*denied.*$": false, "(?m)^denied$": false, "^(?i:no|yes)$": true, "^[A-Z ]+$": false, "^$": false,
	} {
		for params, bans := range map[string]bool{"expect_match: false": true, "expect_match: true": false, "max_score: 0": true} {
			_, problems := compileYAML("regex", "{pattern: '"+pattern+"', "+params+"}")
			told := slices.ContainsFunc(problems, func(p diag.Diagnostic) bool {
				return strings.Contains(p.Msg, "says anything else besides")
			})
			if told != (want && bans) {
				t.Errorf("%s %s: told %v", pattern, params, told)
			}
		}
	}
}
