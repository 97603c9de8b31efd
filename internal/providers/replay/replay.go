// Package replay is the provider that answers from recorded conversations, without a model and without a network.
package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
)

// Source holds recorded conversations. It is safe for concurrent use; *recording.File is one.
type Source interface {
	Sessions() []recording.Ref
	Load(i int) (*recording.Session, error)
}

// Config says what a replay answers.
type Config struct {
	ID, Model string
	Settings  *scenario.Replay
	Pricing   *scenario.Pricing // prices usage that was recorded without a cost; nil: such a cost is not known
	Sources   []Source          // one for each of Settings.Recordings
	Apart     bool              // trials of several regions ask, and each needs a conversation of its own
	Strict    bool              // a reply to other words than the recorded ones is an error, not a notice
}

// Provider answers from recordings. A reply depends only on the request, so concurrent trials do not affect each other.
type Provider struct {
	Config
	price   *providers.Price
	archive *archive
}

// New makes a replay. A session that is asked for and not there is a *providers.Misconfigured.
func New(c Config) (*Provider, error) {
	p := &Provider{Config: c, archive: newArchive(c.Sources)}
	p.archive.apart = c.Apart
	if c.Pricing != nil {
		p.price = providers.PriceOf(c.Pricing)
	}
	if c.Settings.Session != "" {
		if err := p.archive.checkSession(c.Settings); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Complete answers with the recorded reply that belongs to the place of the call (see lookup.go). It takes the time
// that its settings say, and reports the latency that was recorded whatever it took.
func (p *Provider) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	if ctx.Err() != nil {
		return chat.Reply{}, context.Cause(ctx)
	}
	recorded, notice, doubt, err := p.find(req)
	if err == nil && notice != "" && p.Strict {
		err = errors.New(strings.ReplaceAll(notice, "provider "+p.ID+": ", "")) // which the error says
	}
	if err != nil {
		return chat.Reply{}, &providers.Error{
			Kind: providers.BadReply, Provider: p.ID, Msg: err.Error(), Final: true, Err: err,
		}
	}
	if err := pause.For(ctx, p.delay(recorded.latency)); err != nil {
		return chat.Reply{}, err
	}
	reply := p.reply(req, recorded)
	reply.Notice, reply.Doubt = notice, doubt
	if req.Stream && onDelta != nil {
		text, err := providers.Stream(ctx, reply.Content, onDelta)
		if errors.Is(err, providers.ErrEnough) {
			closed(req, &reply, text)
			return reply, nil
		}
		if err != nil {
			return chat.Reply{}, err
		}
	}
	return reply, nil
}

// delay is how long a reply takes that took so long when it was recorded.
func (p *Provider) delay(recorded time.Duration) time.Duration {
	switch p.Settings.Timing {
	case "realtime":
		return recorded
	case "accelerated":
		return time.Duration(float64(recorded) / p.Settings.Speed)
	}
	return 0
}

// reply copies what callers may change: the script is shared by all trials.
func (p *Provider) reply(req *chat.Request, recorded *recordedReply) chat.Reply {
	r := chat.Reply{
		Content: recorded.content, FinishReason: recorded.finish, Model: p.Model,
		LatencyMS: float64(recorded.latency) / float64(time.Millisecond), Unreported: recorded.unreported,
	}
	if recorded.model != "" {
		r.Model = recorded.model
	}
	r.Parts = append(r.Parts, recorded.parts...)
	for i, c := range recorded.calls {
		if c = c.Clone(); c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%s", i, c.Name)
		}
		r.ToolCalls = append(r.ToolCalls, c)
	}
	if p.Settings.Tools != "execute" {
		r.ToolResults = recorded.resultsFor(r.ToolCalls, p.Settings.Tools == "recorded")
	}
	p.account(req, &r, recorded)
	return r
}

// account sets the recorded usage and cost. Without them the tokens are an estimate, and the cost is known if there is
// a price.
func (p *Provider) account(req *chat.Request, r *chat.Reply, recorded *recordedReply) {
	if r.CostUSD = recorded.usd; recorded.usage != nil {
		r.Usage = *recorded.usage
	} else {
		r.Usage = providers.Estimate(req.Messages, recorded.content)
	}
	if r.CostUSD == nil && p.price != nil {
		r.CostUSD = new(p.price.USD(r.Usage))
	}
}

// closed cuts a reply at the text after which the stream was closed. Its cost is then unknown.
func closed(req *chat.Request, r *chat.Reply, text string) {
	guess := providers.Estimate(req.Messages, text)
	r.Usage.OutputTokens = min(r.Usage.OutputTokens, guess.OutputTokens)
	r.Usage.Estimated = true
	if r.CostUSD != nil && *r.CostUSD != 0 {
		r.CostUSD = nil
	}
	r.Content, r.Parts, r.ToolCalls, r.ToolResults, r.FinishReason = text, nil, nil, nil, ""
}
