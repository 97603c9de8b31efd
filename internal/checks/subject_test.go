package checks

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
)

func conversation() []chat.Message {
	call := func(id, name string) chat.ToolCall { return chat.ToolCall{ID: id, Name: name, Args: map[string]any{}} }
	return []chat.Message{
		{Role: chat.System, Content: "be kind"},
		{Role: chat.User, Content: "one"},
		{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call("c1", "a"), call("c2", "b")}, CostUSD: new(0.1),
			Usage: &chat.Usage{InputTokens: 1, OutputTokens: 2}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "c2", Name: "b", Content: "two", Error: "no"}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "c1", Name: "a", Content: "one"}},
		{Role: chat.Assistant, Content: "First", CostUSD: new(0.2), Usage: &chat.Usage{InputTokens: 3, OutputTokens: 4},
			LatencyMS: 10},
		{Role: chat.User, Content: "two"},
		{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call("c1", "a")}, CostUSD: new(0.0), Usage: &chat.Usage{}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "c1", Name: "a", Content: "again"}},
		{Role: chat.Assistant, Content: "Second", CostUSD: new(0.3), Usage: &chat.Usage{}, LatencyMS: 20},
	}
}

func TestCallsOfATranscript(t *testing.T) {
	t.Parallel()
	want := []Call{
		{Name: "a", Args: map[string]any{}, Result: "one"},
		{Name: "b", Args: map[string]any{}, Result: "two", Error: "no"},
		{Turn: 1, Name: "a", Args: map[string]any{}, Result: "again"},
	}
	if diff := cmp.Diff(want, CallsOf(conversation())); diff != "" {
		t.Error(diff)
	}
}

func TestCallsWithoutIDs(t *testing.T) {
	t.Parallel()
	got := CallsOf([]chat.Message{
		{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{Name: "a"}, {Name: "b"}, {Name: "a"}}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{Name: "a", Content: "1"}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{Name: "b", Content: "2"}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{Name: "a", Content: "3"}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{Name: "stray", Content: "4"}},
	})
	want := []Call{{Name: "a", Result: "1"}, {Name: "b", Result: "2"}, {Name: "a", Result: "3"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	s := &Subject{Messages: conversation(), Start: 6, Turn: 1}
	if s.Output() != "Second" || s.Lower() != "second" || len(s.Texts()) != 2 || s.Texts()[0].Turn != 1 {
		t.Errorf("turn: %q %+v", s.Output(), s.Texts())
	}
	w := s.Conversation()
	if w != s.Conversation() || w.Conversation() != w {
		t.Error("the conversation is built twice")
	}
	if len(w.Texts()) != 4 || w.Texts()[1].Turn != 0 || w.Texts()[3].Turn != 1 || len(w.Calls) != 3 {
		t.Errorf("conversation: %+v", w.Texts())
	}
	if math.Abs(*w.CostUSD-0.6) > slack || *w.InputTokens != 4 || *w.OutputTokens != 6 || *w.LatencyMS != 20 {
		t.Errorf("spent %v %v %v in %v", *w.CostUSD, *w.InputTokens, *w.OutputTokens, *w.LatencyMS)
	}
	s.Messages[2].CostUSD, s.Messages[2].Usage = nil, nil
	s.conversation = nil
	if w := s.Conversation(); w.CostUSD != nil || w.InputTokens != nil {
		t.Error("a sum with an unknown part is known")
	}
}

func TestResultText(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Call{
		"":                {},
		"plain":           {Result: "plain"},
		`{"a":[1,"<b>"]}`: {Result: map[string]any{"a": []any{json.Number("1"), "<b>"}}},
		"see [image:image/png]!": {Parts: []chat.Part{
			{Type: "text", Text: "see "}, {Type: "image", Media: &chat.Media{MIMEType: "image/png"}},
			{Type: "text", Text: "!"},
		}},
	} {
		if got := c.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
