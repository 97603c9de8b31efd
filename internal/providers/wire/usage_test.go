package wire

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// TestUsageOfHalves estimates the half that a server did not count.
func TestUsageOfHalves(t *testing.T) {
	t.Parallel()
	req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: strings.Repeat("x", 40)}}}
	reply := &chat.Reply{Content: strings.Repeat("y", 400)}
	for _, c := range []struct{ got, want chat.Usage }{
		{chat.Usage{}, chat.Usage{InputTokens: 10, OutputTokens: 100, Estimated: true}},
		{chat.Usage{InputTokens: 5}, chat.Usage{InputTokens: 5, OutputTokens: 100, Estimated: true}},
		{chat.Usage{OutputTokens: 5}, chat.Usage{InputTokens: 10, OutputTokens: 5, Estimated: true}},
		{chat.Usage{InputTokens: 5, OutputTokens: 5}, chat.Usage{InputTokens: 5, OutputTokens: 5}},
	} {
		if got := completed(c.got, req, reply); got != c.want {
			t.Errorf("%+v became %+v, want %+v", c.got, got, c.want)
		}
	}
	if got := completed(chat.Usage{InputTokens: 5}, req, &chat.Reply{}); got.Estimated || got.OutputTokens != 0 {
		t.Errorf("an empty reply is estimated: %+v", got)
	}
}
