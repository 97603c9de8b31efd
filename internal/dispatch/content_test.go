package dispatch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dispatch"
)

// TestContent: what a message says, in all the ways in which applications write it.
func TestContent(t *testing.T) {
	t.Parallel()
	image := &chat.Media{URL: "https://x/a.png", Detail: "low"}
	inline := &chat.Media{MIMEType: "image/png", Data: "AA=="}
	for _, tc := range []struct {
		role, content string
		want          chat.Message
	}{
		{"user", `"hi"`, chat.Message{Content: "hi"}},
		{"user", `null`, chat.Message{}},
		{"user", `[]`, chat.Message{}},
		{"user", `[{"type":"text","text":"Hello, "},{"type":"input_text","text":"you"}, "!"]`, chat.Message{Content: "Hello, you!"}},
		{"assistant", `[{"type":"thinking","thinking":"hm"},{"type":"output_text","text":"Yes"}]`, chat.Message{Content: "Yes"}},
		{"assistant", `[{"type":"refusal","refusal":"No"}]`, chat.Message{Content: "No"}},
		{"user", `[{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"https://x/a.png","detail":"low"}}]`,
			chat.Message{Content: "See", Parts: []chat.Part{{Type: "text", Text: "See"}, {Type: "image", Media: image}}}},
		{"user", `[{"type":"input_image","image_url":"data:image/png;base64,AA=="}]`,
			chat.Message{Parts: []chat.Part{{Type: "image", Media: inline}}}},
		{"user", `[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]`,
			chat.Message{Parts: []chat.Part{{Type: "image", Media: inline}}}},
		{"user", `[{"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}}]`,
			chat.Message{Parts: []chat.Part{{Type: "audio", Media: &chat.Media{MIMEType: "audio/wav", Data: "AA=="}}}}},
		{"tool", `[1, 2]`, chat.Message{Content: `[1, 2]`, ToolResult: &chat.ToolResult{Content: `[1, 2]`}}},
		{"tool", `{"a": 1}`, chat.Message{Content: `{"a": 1}`, ToolResult: &chat.ToolResult{Content: `{"a": 1}`}}},
		{"tool", `[{"type":"text","text":"sent"}]`, chat.Message{Content: "sent", ToolResult: &chat.ToolResult{Content: "sent"}}},
	} {
		e, err := dispatch.DecodeEvent([]byte(`{"type":"message.created","session":"s","data":{"role":"` + tc.role +
			`","content":` + tc.content + `}}`))
		if err != nil {
			t.Errorf("%s: %v", tc.content, err)
			continue
		}
		tc.want.Role = chat.Role(tc.role)
		if diff := cmp.Diff(tc.want, e.Message.Message); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.content, diff)
		}
	}
}
