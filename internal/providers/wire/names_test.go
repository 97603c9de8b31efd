package wire

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
)

// TestPlainNames: tools are sent under unique names that every API accepts, and restored in the reply.
func TestPlainNames(t *testing.T) {
	t.Parallel()
	long := "mcp__" + strings.Repeat("x", 70)
	req := &chat.Request{
		Tools: []chat.Tool{
			{Name: "get_order"}, {Name: "mcp__my.db__find"}, {Name: "mcp__my_db__find"}, {Name: "mcp__my db__find"},
			{Name: long}, {Name: long + "y"}, {Name: "größe"},
		},
		ToolChoice: "mcp__my.db__find",
		Messages: []chat.Message{
			{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{Name: long}, {Name: "gone.tool"}}},
			{Role: chat.ToolRole, ToolResult: &chat.ToolResult{Name: long}},
		},
	}
	sent, known := plainNames(req)
	seen := map[string]bool{}
	var calls []chat.ToolCall
	for _, tool := range sent.Tools {
		if seen[tool.Name] || !isPlain(tool.Name) || tool.Name == "" {
			t.Errorf("%q is sent, which is taken or not plain", tool.Name)
		}
		seen[tool.Name] = true
		calls = append(calls, chat.ToolCall{Name: tool.Name})
	}
	if got, want := sent.Tools[4].Name, long[:55]+"_"; len(got) != maxName || !strings.HasPrefix(got, want) {
		t.Errorf("a long name is sent as %q", got)
	}
	said := sent.Messages[0].ToolCalls
	if sent.ToolChoice != sent.Tools[1].Name || said[0].Name != sent.Tools[4].Name || said[1].Name != "gone_tool" ||
		sent.Messages[1].ToolResult.Name != sent.Tools[4].Name {
		t.Errorf("not all names agree: %+v", sent)
	}
	known.restore(calls)
	for i, call := range calls {
		if call.Name != req.Tools[i].Name {
			t.Errorf("%q came back as %q", req.Tools[i].Name, call.Name)
		}
	}
	if again, _ := plainNames(req); !cmp.Equal(again, sent) {
		t.Error("another request sends other names")
	}
	if req.Tools[1].Name != "mcp__my.db__find" || req.Messages[0].ToolCalls[0].Name != long {
		t.Error("the request was changed")
	}
	if same, none := plainNames(&chat.Request{Tools: req.Tools[:1]}); none != nil || len(same.Tools) != 1 {
		t.Error("plain names are changed")
	}
}
