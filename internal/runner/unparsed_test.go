package runner

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

func TestUnparsed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"<think>Maybe it is shipped.</think>I do not know.", "thoughts"},
		{"Maybe it is shipped.\n</think>\nI do not know.", "thoughts"},
		{"<think>Maybe it is shipped, but", "thoughts"},
		{`<tool_call>{"name": "refund", "arguments": {}}</tool_call>`, "<tool_call>"},
		{`[TOOL_CALLS] [{"name": "refund"}]`, "[TOOL_CALLS]"},
		{"Sure.\n<function=refund>{}</function>", "<function=refund>"},
		{`{"name": "refund", "arguments": {"order_id": "A-1"}}`, "refund"},
		{`{"name": "Ada", "arguments": {}}`, ""},
		{`{"name": "refund"}`, ""},
		{"Write </think> to close it.", ""},
		{"I think so.", ""},
		{"The tag <tool_call> marks a call.", ""},
	} {
		got := unparsed(&chat.Message{Role: chat.Assistant, Content: tt.text}, []string{"refund"})
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}
