package checks

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// TestUntoldCallsAreNoVerdict: a check that depends on tool calls is an error if the agent does not report them.
func TestUntoldCallsAreNoVerdict(t *testing.T) {
	t.Parallel()
	user := chat.Message{Role: chat.User, Content: "Where is my order?"}
	reply := chat.Message{Role: chat.Assistant, Content: "It ships today."}
	silent := reply
	silent.Unreported = []string{chat.UnreportedToolCalls}
	calls := chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{
		{ID: "1", Name: "get_order", Args: map[string]any{"id": "A-1"}},
		{ID: "2", Name: "get_order", Args: map[string]any{"id": "A-1"}},
		{ID: "3", Name: "issue_refund", Args: map[string]any{"id": "A-1"}},
	}}
	results := []chat.Message{
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "1", Name: "get_order", Content: "sent"}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "2", Name: "get_order", Error: "down"}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "3", Name: "issue_refund", Content: "done"}},
	}
	subject := func(messages ...chat.Message) *Subject {
		s := &Subject{Messages: messages, Calls: CallsOf(messages), AllCalls: CallsOf(messages)}
		return s
	}
	tried := 0
	everyCheck(t, func(name string, c *Compiled) {
		if c.Needs()&(NeedsModel|NeedsProcess|NeedsNetwork|NeedsTool|NeedsEmbedding) != 0 {
			return
		}
		told := c.Judge(t.Context(), subject(append(append([]chat.Message{user, calls}, results...), reply)...))
		none := c.Judge(t.Context(), subject(user, reply))
		if told.Status == none.Status && told.Explanation == none.Explanation && told.Error == none.Error ||
			strings.HasPrefix(name, "max_turns") {
			return
		}
		tried++
		for way, s := range map[string]*Subject{
			"silent":             subject(user, silent),
			"silent after calls": subject(append(append([]chat.Message{user, calls}, results...), silent)...),
		} {
			v := c.Judge(t.Context(), s)
			if v.Status != result.Errored {
				t.Errorf("%s: %s: %s, %s%s", name, way, v.Status, v.Explanation, v.Error)
			}
		}
	})
	if tried < 15 {
		t.Errorf("only %d checks look at calls", tried)
	}
}

// TestUntoldIsNeitherSkipNorPass: unreported calls do not skip a condition over calls, nor pass a limit on model calls.
func TestUntoldIsNeitherSkipNorPass(t *testing.T) {
	t.Parallel()
	s := &Subject{Messages: []chat.Message{
		{Role: chat.User, Content: "hi"},
		{Role: chat.Assistant, Content: "hello", Unreported: []string{chat.UnreportedToolCalls, chat.UnreportedModelCalls}},
	}}
	for _, check := range [][2]string{
		{"max_turns", `{"max": 9}`}, {"not", `{"check": {"type": "tools_called", "params": {"tools": ["get"]}}}`},
		{"any_of", `{"checks": [{"type": "tools_not_called", "params": {"tools": ["get"]}}]}`},
		{"tools_not_called", `{"tools": ["get"]}`},
	} {
		v := judgeJSON(t, s.Fork(), check[0], check[1])
		if v.Status != result.Errored || !strings.Contains(v.Error, "does not report") {
			t.Errorf("%s %s: %s, %s%s", check[0], check[1], v.Status, v.Explanation, v.Error)
		}
	}
	c, problems := compileJSON(&Compiler{}, "contains", `{"patterns": ["hello"]}`, ScopeTurn, nil)
	if c == nil {
		t.Fatal(problems)
	}
	own, terms := *c, *c.Terms // they are shared with other checks
	terms.When = &When{Tool: "get"}
	own.Terms = &terms
	if v := own.Judge(t.Context(), s.Fork()); v.Status != result.Errored {
		t.Errorf("when: %s, %s", v.Status, v.SkipReason)
	}
}

// TestUntoldPartsOfCallsAreNoVerdict: a check whose score depends on arguments, results or failures of calls is an
// error if the agent does not report them.
func TestUntoldPartsOfCallsAreNoVerdict(t *testing.T) {
	t.Parallel()
	t.Run("alone", func(t *testing.T) { t.Parallel(); holdUntoldParts(t, false) })
	t.Run("among others", func(t *testing.T) { t.Parallel(); holdUntoldParts(t, true) })
}

// holdUntoldParts tries each part of a call, alone or among other calls.
func holdUntoldParts(t *testing.T, others bool) {
	t.Helper()
	id := func(n float64) map[string]any { return map[string]any{"id": n} }
	type part = chat.ToolResult
	sent := part{Content: "sent"}
	subject := func(args map[string]any, res part, untold ...string) *Subject {
		res.ID, res.Name = "1", "get_order"
		messages := []chat.Message{
			{Role: chat.User, Content: "Where is my order?"},
			{Role: chat.Assistant, Unreported: untold, ToolCalls: []chat.ToolCall{{ID: "1", Name: "get_order", Args: args}}},
			{Role: chat.ToolRole, ToolResult: &res},
		}
		if others {
			messages = append(messages,
				chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{
					{ID: "2", Name: "get_order", Args: id(42)}, {ID: "3", Name: "draw", Args: id(1)},
				}},
				chat.Message{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "2", Name: "get_order", Error: "down"}},
				chat.Message{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "3", Name: "draw", Content: "drawn"}})
		}
		messages = append(messages, chat.Message{Role: chat.Assistant, Content: "It ships today."})
		return &Subject{Messages: messages, Calls: CallsOf(messages), AllCalls: CallsOf(messages)}
	}
	for word, c := range map[string]struct {
		told []*Subject
		none *Subject
		most int // minimum number of checks that read it
	}{
		chat.UnreportedArguments: {
			[]*Subject{subject(id(42), sent), subject(id(7), sent), subject(nil, sent)},
			subject(nil, sent, chat.UnreportedArguments), 3,
		},
		chat.UnreportedResults: {
			[]*Subject{subject(id(42), part{Content: "ok"}), subject(id(42), part{Content: "OK"}), subject(id(42), part{})},
			subject(id(42), part{}, chat.UnreportedResults), 3,
		},
		chat.UnreportedOutcomes: {
			[]*Subject{subject(id(42), part{}), subject(id(42), part{Error: "down", ErrorType: chat.ErrorExecution})},
			subject(id(42), part{}, chat.UnreportedResults, chat.UnreportedOutcomes), 2,
		},
	} {
		tried := 0
		everyCheck(t, func(name string, check *Compiled) {
			if check.Needs()&(NeedsModel|NeedsProcess|NeedsNetwork|NeedsTool|NeedsEmbedding) != 0 {
				return
			}
			first := check.Judge(t.Context(), c.told[0].Fork())
			for _, other := range c.told[1:] {
				if v := check.Judge(t.Context(), other.Fork()); differs(&first, &v) {
					tried++
					if v := check.Judge(t.Context(), c.none.Fork()); v.Status != result.Errored {
						t.Errorf("%s: %s: %s, %s%s", word, name, v.Status, v.Explanation, v.Error)
					}
					return
				}
			}
		})
		if tried < c.most {
			t.Errorf("%s: only %d checks look at it", word, tried)
		}
	}
}

func differs(a, b *result.Verdict) bool {
	return a.Status != b.Status || a.Score != nil && b.Score != nil && *a.Score != *b.Score
}

// TestUntoldTokensAreNoVerdict: tokens that only arena estimated keep no limit.
func TestUntoldTokensAreNoVerdict(t *testing.T) {
	t.Parallel()
	s := &Subject{
		InputTokens: new(4), OutputTokens: new(2), Messages: []chat.Message{
			{Role: chat.User, Content: "hi"},
			{
				Role: chat.Assistant, Content: "hello", Unreported: []string{chat.UnreportedTokens},
				Usage: &chat.Usage{InputTokens: 4, OutputTokens: 2, Estimated: true},
			},
		},
	}
	for _, check := range [][2]string{
		{"cost_budget", `{"max_total_tokens": 100}`}, {"cost_budget", `{"max_input_tokens": 100}`},
		{"cost_budget", `{"max_output_tokens": 100}`},
	} {
		v := judgeJSON(t, s.Fork(), check[0], check[1])
		if v.Status != result.Errored || !strings.Contains(v.Error, "token") {
			t.Errorf("%s %s: %s, %s%s", check[0], check[1], v.Status, v.Explanation, v.Error)
		}
	}
}
