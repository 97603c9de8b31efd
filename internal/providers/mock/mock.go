// Package mock is the provider without a model: it answers with the replies that the user's files hold, so that a run
// costs nothing and repeats byte for byte.
package mock

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// chunkRunes is how much text one delta of a stream carries.
const chunkRunes = 20

// defaultPrice is what mocked tokens cost when the provider configures no pricing: 0.01 USD per thousand, so that
// checks on costs have something to look at.
var defaultPrice = providers.PriceOf(&scenario.Pricing{InputPer1K: 0.01, OutputPer1K: 0.01})

// Config says what a mock answers.
type Config struct {
	ID, Model string
	Pricing   *scenario.Pricing  // nil: 0.01 USD per thousand tokens, both ways
	File      *scenario.MockFile // nil: none; every call without an inline reply gets a generic text
	// Inline returns the replies that a scripted turn brings along, nil when it has none. They win over the file. It
	// is called from many goroutines at once; nil means that no turn has any.
	Inline func(scenarioID string, turn int) []scenario.MockReply
	// Lenient answers with the generic text and a notice where the file has no reply, instead of failing.
	Lenient bool
}

// Provider answers from canned replies. It keeps no state: what it says depends on the request alone.
type Provider struct {
	Config
	price *providers.Price
}

// New makes a mock.
func New(c Config) *Provider {
	p := &Provider{Config: c, price: defaultPrice}
	if c.Pricing != nil {
		p.price = providers.PriceOf(c.Pricing)
	}
	return p
}

// Complete answers with the reply that belongs to the place of the call (see lookup.go). It waits for the latency that
// the reply asks for and reports exactly that one, and no other, so that results do not depend on the machine.
func (p *Provider) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	if ctx.Err() != nil {
		return chat.Reply{}, context.Cause(ctx)
	}
	canned, notice, err := p.find(req)
	if err != nil {
		return chat.Reply{}, err
	}
	if err := wait(ctx, canned.Latency); err != nil {
		return chat.Reply{}, err
	}
	if canned.Error != "" {
		return chat.Reply{}, p.simulated(canned)
	}
	reply := p.reply(req, canned)
	reply.Notice = notice
	if req.Stream && onDelta != nil {
		said, err := stream(ctx, canned.Content, onDelta)
		if errors.Is(err, providers.ErrEnough) {
			p.closed(req, &reply, said)
			return reply, nil
		}
		if err != nil {
			return chat.Reply{}, err
		}
	}
	return reply, nil
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stream hands out the text in equal pieces, each whole runes, and returns how much of it was handed out.
func stream(ctx context.Context, text string, onDelta func(chat.Delta) error) (said string, err error) {
	for at := 0; at < len(text); {
		if ctx.Err() != nil {
			return text[:at], context.Cause(ctx)
		}
		piece, runes := text[at:], 0
		for i := range piece {
			if runes == chunkRunes {
				piece = piece[:i]
				break
			}
			runes++
		}
		at += len(piece)
		if err := onDelta(chat.Delta{Text: piece}); err != nil {
			return text[:at], err
		}
	}
	return text, nil
}

// closed makes of a reply what there is of it when the stream was closed.
func (p *Provider) closed(req *chat.Request, r *chat.Reply, said string) {
	guess := estimate(req.Messages, said)
	r.Usage.OutputTokens = min(r.Usage.OutputTokens, guess.OutputTokens)
	r.Usage.Estimated = true
	usd := p.price.USD(r.Usage)
	r.Content, r.Parts, r.ToolCalls, r.FinishReason, r.CostUSD = said, nil, nil, "", &usd
}

func (p *Provider) simulated(canned *scenario.MockReply) error {
	kind := providers.Kind(canned.ErrorKind)
	if kind == "" {
		kind = providers.Transport
	}
	return &providers.Error{Kind: kind, Provider: p.ID, Msg: canned.Error}
}

// reply copies what callers may change: the canned reply is shared by all trials.
func (p *Provider) reply(req *chat.Request, canned *scenario.MockReply) chat.Reply {
	r := chat.Reply{
		Content: canned.Content, Parts: slices.Clone(canned.Parts), ToolCalls: calls(canned.ToolCalls),
		FinishReason: canned.FinishReason, Model: p.Model,
		LatencyMS: float64(canned.Latency) / float64(time.Millisecond),
	}
	if r.FinishReason == "" {
		r.FinishReason = "stop"
		if len(r.ToolCalls) > 0 {
			r.FinishReason = "tool_calls"
		}
	}
	if canned.Usage != nil {
		r.Usage = *canned.Usage
	} else {
		r.Usage = estimate(req.Messages, canned.Content)
	}
	usd := p.price.USD(r.Usage)
	r.CostUSD = &usd
	return r
}

func calls(canned []chat.ToolCall) []chat.ToolCall {
	if len(canned) == 0 {
		return nil
	}
	out := make([]chat.ToolCall, len(canned))
	for i, c := range canned {
		out[i] = c
		out[i].ID = "call_" + strconv.Itoa(i) + "_" + c.Name
		switch {
		case c.BadArgs != "":
			out[i].Args = nil
		case c.Args == nil:
			out[i].Args = map[string]any{}
		default:
			out[i].Args = cloneMap(c.Args)
		}
	}
	return out
}

func cloneMap(m map[string]any) map[string]any {
	out := maps.Clone(m)
	for k, v := range out {
		out[k] = clone(v)
	}
	return out
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return cloneMap(v)
	case []any:
		out := slices.Clone(v)
		for i := range out {
			out[i] = clone(out[i])
		}
		return out
	}
	return v
}

// estimate counts a token for every four bytes of each message. A call without any text still has a size, so that
// costs never vanish.
func estimate(messages []chat.Message, reply string) chat.Usage {
	u := chat.Usage{OutputTokens: len(reply) / 4, Estimated: true}
	for i := range messages {
		u.InputTokens += len(messages[i].Text()) / 4
	}
	if u.InputTokens == 0 {
		u.InputTokens = 10
	}
	if u.OutputTokens == 0 {
		u.OutputTokens = 20
	}
	return u
}

func (p *Provider) generic() *scenario.MockReply {
	return &scenario.MockReply{Content: fmt.Sprintf("mock of provider %s (%s)", p.ID, p.Model)}
}
