// Package mock is the provider without a model: it answers with replies from the user's files, so that a run costs
// nothing and repeats byte for byte.
package mock

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Config says what a mock answers.
type Config struct {
	ID, Model string
	Pricing   *scenario.Pricing  // nil: 0.01 USD per thousand tokens, both ways
	File      *scenario.MockFile // nil: none; every call without an inline reply gets a generic text
	// Inline returns the replies on a scripted turn, nil: none. They have precedence over the file, unless its First is
	// set. It is called concurrently; nil: no turn has any.
	Inline func(scenarioID string, turn int) []scenario.MockReply
	// Lenient answers an agent with the generic text, and a doubt, where the file has no reply, instead of failing.
	Lenient bool
}

// Provider answers from canned replies. It has no state: a reply depends only on the request.
type Provider struct {
	Config
	price *providers.Price
}

// New makes a mock.
func New(c Config) *Provider {
	p := &Provider{Config: c, price: providers.MockPrice}
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
	canned, doubt, err := p.find(req)
	if err == nil {
		canned, err = p.filled(req, canned.Draw(p.drawn(req)))
	}
	if err != nil {
		return chat.Reply{}, err
	}
	if err := pause.For(ctx, canned.Latency); err != nil {
		return chat.Reply{}, err
	}
	if canned.Error != "" {
		return chat.Reply{}, p.simulated(canned)
	}
	reply := p.reply(req, canned)
	reply.Doubt = doubt
	if req.Stream && onDelta != nil {
		text, err := providers.Stream(ctx, canned.Content, onDelta)
		if errors.Is(err, providers.ErrEnough) {
			p.closed(req, &reply, text)
			return reply, nil
		}
		if err != nil {
			return chat.Reply{}, err
		}
	}
	return reply, nil
}

// filled is a reply with the fields of the trial's row in it.
func (p *Provider) filled(req *chat.Request, canned *scenario.MockReply) (*scenario.MockReply, error) {
	row := req.Origin.Row
	if row == nil {
		return canned, nil
	}
	own := *canned
	var absent []string
	fill := func(text string) string {
		text, missing := row.FillText(text)
		absent = append(absent, missing...)
		return text
	}
	own.Content, own.Error = fill(own.Content), fill(own.Error)
	own.Parts = slices.Clone(own.Parts)
	for i := range own.Parts {
		own.Parts[i].Text = fill(own.Parts[i].Text)
	}
	var missing []string
	own.ToolCalls, missing = row.FillCalls(own.ToolCalls)
	if absent = append(absent, missing...); len(absent) > 0 {
		return nil, &providers.Error{
			Kind: providers.BadReply, Provider: p.ID, Final: true,
			Msg: fmt.Sprintf("the mock reply contains {{%s}}, and the row has no such field", absent[0]),
		}
	}
	return &own, nil
}

// closed cuts a reply at the text after which the stream was closed.
func (p *Provider) closed(req *chat.Request, r *chat.Reply, text string) {
	guess := providers.Estimate(req.Messages, text)
	r.Usage.OutputTokens = min(r.Usage.OutputTokens, guess.OutputTokens)
	r.Usage.Estimated = true
	r.CostUSD = new(p.price.USD(r.Usage))
	r.Content, r.Parts, r.ToolCalls, r.ToolResults, r.FinishReason = text, nil, nil, nil, ""
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
	for i, c := range r.ToolCalls {
		if res, ok := canned.Results[i]; ok {
			res.ID, res.Name = c.ID, c.Name
			r.ToolResults = append(r.ToolResults, res)
		}
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
		r.Usage = providers.Estimate(req.Messages, canned.Content)
	}
	if r.CostUSD = canned.CostUSD; r.CostUSD == nil {
		r.CostUSD = new(p.price.USD(r.Usage))
	}
	return r
}

func calls(canned []chat.ToolCall) []chat.ToolCall {
	if len(canned) == 0 {
		return nil
	}
	out := make([]chat.ToolCall, len(canned))
	for i, c := range canned {
		out[i] = c.Clone()
		out[i].ID = "call_" + strconv.Itoa(i) + "_" + c.Name
	}
	return out
}

// generic names no provider and no model: their digits would satisfy patterns that are meant for a real answer. Users'
// patterns match on the words.
func generic() *scenario.MockReply {
	return &scenario.MockReply{Content: "Mock response from provider"}
}
