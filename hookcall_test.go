package arena

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
)

// TestChangedKeeps holds that what hooks do not see survives their changes.
func TestChangedKeeps(t *testing.T) {
	t.Parallel()
	picture := chat.Part{Type: "image", Media: &chat.Media{MIMEType: "image/png", Path: "a.png", Local: true, Detail: "low"}}
	req := &chat.Request{
		Messages: []chat.Message{
			{Role: chat.System, Content: "Be kind."},
			{Role: chat.User, Parts: []chat.Part{{Type: "text", Text: "What is this?"}, picture}},
			{Role: chat.Assistant, Content: "A cat", State: "named", FinishReason: "stop"},
			{Role: chat.User, Content: "Really?"},
		},
		Tools: []chat.Tool{{Name: "look", Schema: json.RawMessage(`{}`)}}, Origin: chat.Origin{Scenario: "s", Persona: "p"},
		JSONSchema: json.RawMessage(`{"type":"object"}`), Extra: map[string]any{"k": "v"},
	}
	seen, now := requestFrom(req, Origin{}), requestFrom(req, Origin{})
	now.Messages[1].Text = "And this?"
	now.Messages = append(now.Messages, Message{Role: User, Text: "Say it."})
	now.Temperature = new(0.5)
	got := changed(req, seen, now)
	want := *req
	want.Messages = append([]chat.Message{}, req.Messages...)
	want.Messages[1] = chat.Message{Role: chat.User, Parts: []chat.Part{{Type: "text", Text: "And this?"}, picture}}
	want.Messages[2] = chat.Message{Role: chat.Assistant, Content: "A cat"} // lies between two changes
	want.Messages = append(want.Messages, chat.Message{Role: chat.User, Content: "Say it."})
	want.Temperature = new(0.5)
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	now = requestFrom(req, Origin{})
	now.Messages = now.Messages[1:]
	if diff := cmp.Diff(req.Messages[1:], changed(req, seen, now).Messages); diff != "" {
		t.Errorf("one less (-want +got):\n%s", diff)
	}
}

func TestTook(t *testing.T) {
	t.Parallel()
	picture := chat.Part{Type: "image", Media: &chat.Media{URL: "https://example.com/a.png"}}
	for _, tc := range []struct {
		name    string
		change  func(*Reply)
		want    chat.Reply
		changed bool
	}{
		{"nothing", func(*Reply) {}, chat.Reply{Parts: []chat.Part{{Type: "text", Text: "Hi"}, picture}}, false},
		{"told only", func(r *Reply) { r.Model, r.CostUSD = "other", new(1.0) },
			chat.Reply{Parts: []chat.Part{{Type: "text", Text: "Hi"}, picture}}, false},
		{"text", func(r *Reply) { r.Text = "Ho" },
			chat.Reply{Parts: []chat.Part{{Type: "text", Text: "Ho"}, picture}}, true},
		{"no parts", func(r *Reply) { r.Text, r.Parts = "Ho", nil }, chat.Reply{Content: "Ho"}, true},
		{"a call", func(r *Reply) { r.ToolCalls, r.FinishReason = []ToolCall{{ID: "1", Name: "t"}}, "tool_calls" }, chat.Reply{
			Parts:     []chat.Part{{Type: "text", Text: "Hi"}, picture},
			ToolCalls: []chat.ToolCall{{ID: "1", Name: "t"}}, FinishReason: "tool_calls",
		}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := chat.Reply{Parts: []chat.Part{{Type: "text", Text: "Hi"}, picture}}
			seen, now := replyFrom(&r), replyFrom(&r)
			tc.change(now)
			if applyChanges(&r, seen, now) != tc.changed {
				t.Errorf("changed: %v", !tc.changed)
			}
			if diff := cmp.Diff(tc.want, r); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestHooksKeepState: hooks do not see what a provider wants back with a message and its calls, and it comes through
// whatever they change but the calls.
func TestHooksKeepState(t *testing.T) {
	t.Parallel()
	state := func(of string) *chat.Opaque { return &chat.Opaque{From: of, Data: []byte(`["` + of + `"]`)} }
	calls := func() []chat.ToolCall {
		return []chat.ToolCall{{ID: "1", Name: "t", Opaque: state("one")}, {ID: "2", Name: "t", Opaque: state("two")}}
	}
	asked := &chat.Request{Messages: []chat.Message{
		{Role: chat.User, Content: "Hi"}, {Role: chat.Assistant, Content: "Ho", ToolCalls: calls(), Opaque: state("all")},
		{Role: chat.User, Content: "Ah"},
	}}
	seen, now := requestFrom(asked, Origin{}), requestFrom(asked, Origin{})
	for i := range now.Messages {
		now.Messages[i].Text += "!"
	}
	now.Messages[1].ToolCalls[1].Name = "other"
	sent := changed(asked, seen, now).Messages[1]
	want := chat.Message{Role: chat.Assistant, Content: "Ho!", ToolCalls: calls(), Opaque: state("all")}
	want.ToolCalls[1].Name, want.ToolCalls[1].Opaque = "other", nil
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	r := chat.Reply{ToolCalls: calls(), Opaque: state("all")}
	own := replyFrom(&r)
	own.ToolCalls[1].Name = "other"
	applyChanges(&r, replyFrom(&r), own)
	if diff := cmp.Diff(chat.Reply{ToolCalls: want.ToolCalls, Opaque: state("all")}, r); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}
