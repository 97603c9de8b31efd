package command

import (
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
)

// turn is the received part of the reply to one message.
type turn struct {
	open    bool // the program has not replied yet
	left    time.Duration
	bytes   int
	calls   int
	usage   chat.Usage
	counted bool
	usd     *float64 // nil: no price was reported
	prices  int      // how often a price was reported
	counts  int      // how often tokens were reported
	half    bool     // not both input and output, at some time
	text    strings.Builder
	part    strings.Builder // since the last call
	ids     map[string]bool // of calls
	asked   string          // id of the call that arena runs
	pending []chat.ToolCall // calls without results, and those reported with them
	results []chat.ToolResult

	unargued bool // the arguments of a call are unknown
}

// without are the calls that have no result yet.
func (t *turn) without() (open []chat.ToolCall) {
	for _, call := range t.pending {
		answered := false
		for i := range t.results {
			answered = answered || t.results[i].ID == call.ID
		}
		if !answered {
			open = append(open, call)
		}
	}
	return open
}

// flush returns a reply with the calls so far. The usage is in the last reply, unless it was reported before.
func (t *turn) flush(model string) *chat.Reply {
	counted := t.counts > 0
	r := t.reply(model)
	r.FinishReason, r.ToolCalls, r.ToolResults = "tool_calls", t.pending, t.results
	if !counted {
		r.Usage, r.CostUSD = chat.Usage{}, new(0.0)
	}
	if t.unargued {
		r.Unreported = append(r.Unreported, chat.UnreportedArguments)
	}
	t.pending, t.results, t.unargued = nil, nil, false
	return r
}

// reply returns the content and counts since the last reply.
func (t *turn) reply(model string) *chat.Reply {
	r := &chat.Reply{
		Content: t.part.String(), Model: model, Usage: t.usage,
		Unreported: []string{chat.UnreportedModelCalls}, // lines do not report them
	}
	switch {
	case t.counts == 0 && !t.counted:
		r.Usage = estimated(0, t.text.Len())
	case t.prices == t.counts && t.usd != nil:
		r.CostUSD = t.usd
	case t.counts == 0:
		r.CostUSD = new(0.0) // it was reported before
	}
	r.Usage.Estimated = r.Usage.Estimated || t.half
	t.counted, t.half = t.counted || t.counts > 0, false
	t.usage, t.usd, t.prices, t.counts = chat.Usage{}, nil, 0, 0
	t.part.Reset()
	return r
}

// count adds the program's counts.
func (t *turn) count(m *message, quoted func(string, ...any) error) error {
	if m.Input == nil && m.Output == nil && m.USD == nil {
		return quoted("its usage has neither input_tokens nor output_tokens nor cost_usd")
	}
	for _, n := range []*float64{m.Input, m.Output} {
		if n != nil && (!chat.Tokens(*n) || *n != float64(int(*n))) {
			return quoted("its usage counts %v tokens, which no call can have taken", *n)
		}
	}
	if m.USD != nil && !chat.Measured(*m.USD) {
		return quoted("its usage has a cost of %v, which none can be", *m.USD)
	}
	number := func(n *float64) int {
		if n == nil {
			return 0
		}
		return int(*n)
	}
	t.usage = t.usage.Add(chat.Usage{InputTokens: number(m.Input), OutputTokens: number(m.Output)})
	t.counts++
	t.half = t.half || m.Input == nil || m.Output == nil
	if m.USD != nil {
		t.prices++
		sum := *m.USD
		if t.usd != nil {
			sum += *t.usd
		}
		t.usd = &sum
	}
	return nil
}
