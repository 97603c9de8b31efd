package runner

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// A reply is complete when its model stopped by itself, or called tools.
func TestHowCut(t *testing.T) {
	t.Parallel()
	call := []chat.ToolCall{{Name: "look_up"}}
	for want, messages := range map[string][]chat.Message{
		"":                            {{FinishReason: "stop"}, {}, {FinishReason: "tool_calls", ToolCalls: call}, {FinishReason: "eos"}, {FinishReason: "END_TURN"}},
		"was cut at max_tokens":       {{FinishReason: "length"}},
		"was cut by a content filter": {{FinishReason: "content_filter"}},
		"is not finished":             {{FinishReason: "incomplete"}, {FinishReason: "incomplete: odd"}},
		"ended for a reason that arena does not know": {{FinishReason: "weird"}, {FinishReason: "pause_turn"}},
		"ends with tool calls, but has none":          {{FinishReason: "tool_calls"}},
	} {
		for _, m := range messages {
			if got := cutReason(&m, &scenario.Provider{Type: "openai"}); got != want {
				t.Errorf("finish reason %q with %d calls: %q, want %q", m.FinishReason, len(m.ToolCalls), got, want)
			}
		}
	}
}
