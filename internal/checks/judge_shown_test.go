package checks

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
)

// TestConversationsAsShown: messages in their order, without system texts, tool messages and blank texts, then the
// calls.
func TestConversationsAsShown(t *testing.T) {
	t.Parallel()
	s := &Subject{Session: true, Turn: -1, Messages: []chat.Message{
		{Role: chat.System, Content: "SECRET RULES"},
		{Role: chat.User, Content: "Where is it?", Parts: []chat.Part{
			{Type: "text", Text: "Where is it?"}, {Type: "image", Media: &chat.Media{MIMEType: "image/png"}},
		}},
		{Role: chat.Assistant, Content: " ", ToolCalls: []chat.ToolCall{
			{ID: "1", Name: "track", Args: map[string]any{"id": "PX-77"}}, {ID: "2", Name: "track\nnow", BadArgs: "{\n"},
			{ID: "3", Name: "wait"},
		}},
		{Role: chat.ToolRole, Content: "in customs", ToolResult: &chat.ToolResult{ID: "1", Name: "track", Content: "in\ncustoms"}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "2", Name: "track\nnow", Error: "no\nsuch tool"}},
		{Role: "narrator", Content: "A pause."},
		{Role: chat.Assistant, Content: "In customs."},
	}}
	s.Calls = CallsOf(s.Messages)
	want := []grading.Exhibit{
		grading.Show("message 1 (user)", "Where is it?[image:image/png]"),
		grading.Show("message 2 (another)", "A pause."),
		grading.Show("message 3 (assistant)", "In customs."),
		grading.Show("tool call 1 (turn 1)", "tool: track\narguments: {\"id\":\"PX-77\"}\nresult: in\ncustoms"),
		grading.Show("tool call 2 (turn 1)", "tool: track\\nnow\narguments: no JSON object: {\\n\nerror: no\\nsuch tool"),
		grading.Show("tool call 3 (turn 1)", "tool: wait\narguments: {}"),
	}
	got := append(messageExhibits(s.Messages), callExhibits(s.Calls)...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestJudgeParametersThatContradict: no check accepts two judges at once.
func TestJudgeParametersThatContradict(t *testing.T) {
	t.Parallel()
	for _, d := range Builtin() {
		if d.Prompt == (Prompt{}) {
			continue
		}
		params := promptParams[d.Name]
		params = params[:len(params)-1]
		if params != "{" {
			params += ", "
		}
		for _, both := range []string{
			`"judge": "a", "provider": "b"`, `"system_prompt": "a", "prompt": "b"`, `"extra": {"messages": []}`,
		} {
			c, problems := compileJSON(&Compiler{}, d.Name, params+both+"}", ScopeTurn, nil)
			if c != nil || len(problems) != 1 || problems[0].Code != "conflicting-parameters" {
				t.Errorf("%s with %s: %v", d.Name, both, problems)
			}
		}
	}
}
