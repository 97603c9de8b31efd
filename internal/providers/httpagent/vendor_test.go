package httpagent

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestVendorForms: an answer in the form of a model's vendor says more than its text, whether the file names it or not.
func TestVendorForms(t *testing.T) {
	t.Parallel()
	const content, claude, gemini = "choices[0].message.content", "content[0].text", "candidates[0].content.parts[0].text"
	const responses = "output[-1].content[0].text"
	for _, c := range []struct{ name, path, answer, want string }{
		{"chat", "", `{"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, ` +
			`"finish_reason": "stop"}]}`, "Hi (stop)"},
		{"chat of nobody's", "", `{"reply": "Hi", "choices": [{"label": "yes"}, {"label": "no"}]}`, "Hi ()"},
		{"candidates of nobody's", "", `{"reply": "Hi", "candidates": [{"name": "Ann"}, {"name": "Bob"}]}`, "Hi ()"},
		{"outputs of nobody's", "text", `{"text": "Hi", "output": [{"file": "a"}], "status": "incomplete"}`, "Hi ()"},
		{"a field beside", "answer", `{"answer": "Hi", "choices": [{"message": {"content": "raw Hi!"}}]}`, "Hi ()"},
		{"chat cut", "", `{"choices": [{"message": {"content": "Hi"}, "finish_reason": "length"}]}`, "Hi (length)"},
		{"chat filtered", content, `{"choices": [{"message": {"content": "Hi"}, "finish_reason": "content_filter"}]}`,
			"Hi (content_filter)"},
		{"chat broken off", content, `{"choices": [{"message": {"content": "Hi"}, "finish_reason": "error"}]}`,
			"bad_reply: the endpoint broke the reply off (error): "},
		{"chat failed", content, `{"choices": [{"message": {"content": "Hi"}, "error": {"message": "boom"}}]}`,
			"bad_reply: the server reports an error: boom"},
		{"chat refused", "", `{"choices": [{"message": {"content": null, "refusal": "No."}, "finish_reason": "stop"}]}`,
			"No. (stop), refused"},
		{"chat refused at a path", content, `{"choices": [{"message": {"content": "Hm. ", "refusal": "No."}}]}`,
			"Hm. No. (), refused"},
		{"further choices", "", `{"choices": [{"index": 0, "message": {"content": "Hi"}}, ` +
			`{"index": 1, "message": {"content": "Ho"}}]}`, "Hi (), has a part that is left out (another choice)"},
		{"role", "choices[0].message.role", `{"choices": [{"message": {"role": "assistant", "content": "Hi there"}}]}`,
			`assistant (), is what stands at "choices[0].message.role", and the answer says another text in choices`},
		{"another role", "", `{"choices": [{"message": {"role": "user", "content": "Hi"}}]}`,
			"Hi (), says that its role is user, not assistant"},
		{"Azure's filter", "", `{"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop", ` +
			`"content_filter_results": {"hate": {"filtered": true}}}]}`,
			"Hi (stop), was stopped according to content_filter_results (hate), but not according to its finish reason"},

		{"Claude", claude, `{"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hi"}], ` +
			`"stop_reason": "end_turn"}`, "Hi (stop)"},
		{"Claude cut", claude, `{"type": "message", "content": [{"type": "text", "text": "Hi"}], ` +
			`"stop_reason": "max_tokens"}`, "Hi (length)"},
		{"Claude refused", claude, `{"type": "message", "content": [{"type": "text", "text": "Hi"}], ` +
			`"stop_reason": "refusal"}`, "Hi (content_filter)"},
		{"Claude goes on", claude, `{"type": "message", "content": [{"type": "text", "text": "Hi"}, ` +
			`{"type": "text", "text": "Ho"}], "stop_reason": "end_turn"}`,
			"Hi (stop), has a part that is left out (another text in content)"},

		{"Gemini", gemini, `{"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}, ` +
			`{"text": "hm", "thought": true}]}, "finishReason": "STOP"}]}`, "Hi (stop)"},
		{"Gemini cut", gemini, `{"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "MAX_TOKENS"}]}`,
			"Hi (length)"},
		{"Gemini filtered", gemini, `{"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "SAFETY"}]}`,
			"Hi (content_filter)"},
		{"Gemini's further candidates", gemini, `{"candidates": [{"content": {"parts": [{"text": "Hi"}]}}, ` +
			`{"content": {"parts": [{"text": "Ho"}]}}]}`, "Hi (), has a part that is left out (another candidate)"},

		{"Responses", responses, `{"object": "response", "status": "completed", "output": [{"type": "reasoning"}, ` +
			`{"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}]}`, "Hi (stop)"},
		{"Responses cut", responses, `{"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, ` +
			`"output": [{"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}]}`, "Hi (length)"},
		{"Responses refused", responses, `{"status": "completed", "output": [{"type": "message", "content": ` +
			`[{"type": "refusal", "refusal": "No."}]}]}`, "No. (stop), refused"},
		{"Responses cancelled", responses, `{"status": "cancelled", "output": [{"type": "message", "content": ` +
			`[{"type": "output_text", "text": "Hi"}]}]}`, "bad_reply: the endpoint broke the reply off (cancelled): "},
		{"Responses of two messages", responses, `{"status": "completed", "output": [{"type": "message", "content": ` +
			`[{"type": "output_text", "text": "Ha"}]}, {"type": "message", "content": [{"type": "output_text", ` +
			`"text": "Hi"}]}]}`, "Hi (stop), has a part that is left out (another text in output)"},
	} {
		url := served(t, answer(200, jsonKind, c.answer))
		p := agent(t, url, func(s *scenario.Provider) { s.HTTP.Reply = c.path })
		vendorOutcome(t, c.name, p, url, c.want)
	}
}

// TestVendorStreams: the same of streams.
func TestVendorStreams(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path string
		events     []string
		want       string
	}{
		{"chat", "choices[0].delta.content", []string{
			`{"choices": [{"index": 0, "delta": {"role": "assistant", "content": "H"}}]}`,
			`{"choices": [{"index": 0, "delta": {"content": "i"}, "finish_reason": "length"}]}`, `{"choices": []}`,
		}, "Hi (length)"},
		{"chat of two", "choices[0].delta.content", []string{
			`{"choices": [{"index": 0, "delta": {"content": "Hi"}}]}`,
			`{"choices": [{"index": 1, "delta": {"content": "Ho"}}]}`,
		}, "HiHo (), has a part that is left out (another choice)"},
		{"chat refused", "choices[0].delta.content", []string{
			`{"choices": [{"delta": {"content": "Hm."}}]}`, `{"choices": [{"delta": {"refusal": "N"}}]}`,
			`{"choices": [{"delta": {"refusal": "o"}, "finish_reason": "stop"}]}`,
		}, "Hm. (stop), refused, has a part that is left out (refusal)"},
		{"Claude", "delta.text", []string{
			`{"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hi"}}`,
			`{"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}`, `{"type": "message_stop"}`,
		}, "Hi (length)"},
		{"Gemini", "candidates[0].content.parts[0].text", []string{
			`{"candidates": [{"content": {"parts": [{"text": "H"}]}}]}`,
			`{"candidates": [{"content": {"parts": [{"text": "i"}]}, "finishReason": "RECITATION"}]}`,
		}, "Hi (content_filter)"},
		{"Responses", "delta", []string{
			`{"type": "response.created", "response": {"status": "in_progress"}}`,
			`{"type": "response.output_text.delta", "delta": "Hi"}`,
			`{"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": ` +
				`{"reason": "content_filter"}}}`,
		}, "Hi (content_filter)"},
	} {
		body := "data: " + strings.Join(append(c.events, "[DONE]"), "\n\ndata: ") + "\n\n"
		url := served(t, answer(200, "text/event-stream", body))
		p := agent(t, url, func(s *scenario.Provider) {
			s.HTTP.Stream = &scenario.HTTPStream{Data: c.path, Done: "[DONE]"}
		})
		vendorOutcome(t, c.name, p, url, c.want)
	}
}

// vendorOutcome asks, and compares text, finish reason and doubts with what is wanted.
func vendorOutcome(t *testing.T, name string, p *Provider, url, want string) {
	t.Helper()
	var r chat.Reply
	r, err := p.Complete(t.Context(), ask("Hello?"), nil)
	got := outcome(url, r, err)
	if err == nil {
		got += " (" + r.FinishReason + ")"
		if r.Refused {
			got += ", refused"
		}
		if r.Doubt != "" {
			got += ", " + r.Doubt
		}
	}
	if got != want && !(err != nil && strings.HasPrefix(got, want)) {
		t.Errorf("%s:\n got %s\nwant %s", name, got, want)
	}
}
