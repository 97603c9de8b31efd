package wire

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// TestCountsThatTextsContradict: token counts that the texts cannot explain are doubts; thoughts, media and long tokens
// are explanations.
func TestCountsThatTextsContradict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in, out int // bytes
		usage   chat.Usage
		want    string // "" : no doubt
	}{
		{10, 5, chat.Usage{InputTokens: 3, OutputTokens: 1_000_000_000_000}, "has 5 bytes, but is counted as 1000000000000 tokens: "},
		{10, 5, chat.Usage{InputTokens: 3, OutputTokens: 10_000_501}, "has 5 bytes, but is counted as 10000501 tokens: "},
		{10, 5, chat.Usage{InputTokens: 3, OutputTokens: 10_000_500}, ""},
		{10, 5, chat.Usage{InputTokens: 3, OutputTokens: 1_000_000, ReasoningTokens: 999_990}, ""},
		{10, 5, chat.Usage{InputTokens: 2_000_000, OutputTokens: 2}, ""},
		{10, 5, chat.Usage{InputTokens: 20_000_000, OutputTokens: 2}, "has an input of 10 bytes, which is counted as 20000000 tokens: "},
		{1 << 20, 5, chat.Usage{InputTokens: 60_000_000, OutputTokens: 2}, ""},
		{1 << 23, 5, chat.Usage{InputTokens: 1, OutputTokens: 2}, ""}, // other input tokens were cached by the server
		{10, 8 << 20, chat.Usage{InputTokens: 3, OutputTokens: 5}, "has 8388608 bytes, but is counted as 5 tokens: "},
		{10, 8 << 20, chat.Usage{InputTokens: 3, OutputTokens: 5, Estimated: true}, ""},
		{10, 5096, chat.Usage{InputTokens: 3, OutputTokens: 1}, ""},
		{10, 5097, chat.Usage{InputTokens: 3, OutputTokens: 1}, "has 5097 bytes, but is counted as 1 token: "},
	} {
		req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: strings.Repeat("x", c.in)}}}
		got := oddCount(c.usage, req, &chat.Reply{Content: strings.Repeat("y", c.out)})
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%d and %d bytes, %+v: %q, want %q", c.in, c.out, c.usage, got, c.want)
		}
	}
}

// TestUsageOfHalves estimates the count, input or output, that a server omits.
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
