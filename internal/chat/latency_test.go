package chat_test

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// The latency of a reply is that of its one call where calls are told, and that of the agent's turn where they are not.
func TestLastLatency(t *testing.T) {
	t.Parallel()
	say := func(ms float64, unreported ...string) chat.Message {
		return chat.Message{Role: chat.Assistant, LatencyMS: ms, Unreported: unreported}
	}
	user, tool := chat.Message{Role: chat.User}, chat.Message{Role: chat.ToolRole}
	const hidden = chat.UnreportedModelCalls
	for name, c := range map[string]struct {
		messages []chat.Message
		want     float64
	}{
		"a model":                     {[]chat.Message{user, say(70), tool, say(5)}, 5},
		"calls that are told at once": {[]chat.Message{user, say(70, hidden), tool, tool, say(0, hidden)}, 70},
		"calls told as they come":     {[]chat.Message{user, say(70, hidden), tool, say(20, hidden), say(5, hidden)}, 95},
		"an earlier turn":             {[]chat.Message{user, say(70, hidden), user, say(5, hidden)}, 5},
		"before the last user":        {[]chat.Message{user, say(70, hidden), user}, 70},
	} {
		if got := chat.LastLatency(c.messages); got == nil || *got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if got := chat.LastLatency([]chat.Message{user, tool}); got != nil {
		t.Errorf("no reply: %v", *got)
	}
}
