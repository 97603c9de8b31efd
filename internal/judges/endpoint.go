package judges

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Limits of a judge's reply in tokens, when neither its provider nor the check asks for more. What a model thinks
// before it answers counts as well.
const (
	replyTokens     = 1024
	reasoningTokens = 4096
)

// Endpoint is a model that grades. It remembers what the model's server does not support. It is safe for concurrent
// use.
type Endpoint struct {
	Source    string // tells it from other models and other servers; set before it is asked, "" when that is not known
	client    providers.Provider
	spec      *scenario.Provider
	place     []string // what tells it from other endpoints
	simulated bool
	maxTokens int
	lacks     atomic.Uint32 // a set of features
}

// NewEndpoint makes an endpoint of a provider that is opened. A simulated one answers by the place from which it is
// asked, and not only by the question.
func NewEndpoint(client providers.Provider, spec *scenario.Provider, simulated bool) *Endpoint {
	e := &Endpoint{
		client: client, spec: spec, simulated: simulated, maxTokens: replyTokens,
		place: []string{spec.ID, spec.Type, spec.BaseURL, spec.Model},
	}
	if reasons().MatchString(spec.Model) {
		e.maxTokens = reasoningTokens
	}
	if spec.MaxTokens != nil {
		e.maxTokens = max(e.maxTokens, *spec.MaxTokens)
	}
	return e
}

// reasons matches the names of models that think before they answer.
var reasons = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|/)(?:o\d|gpt-[5-9]|gpt-oss|deepseek-(?:r\d|reasoner)|qwq|magistral|` +
		`gemini-(?:2\.5|[3-9]))`)
})

// feature is a part of a request that a server may refuse and a judge can do without.
type feature uint32

const (
	withSchema feature = 1 << iota
	withTemperature
	withSeed
	withMaxTokens
)

// call is one question on its way.
type call struct {
	endpoint *Endpoint
	req      chat.Request
	watch    Watch
	optional feature // what stands in the request because nobody asked for anything else
}

func (e *Endpoint) newCall(q *checks.Question, seed *int64) *call {
	c := &call{endpoint: e, optional: withSchema | withTemperature | withSeed | withMaxTokens}
	c.req.Messages, c.req.JSONSchema = q.Messages, q.Schema
	c.req.Temperature, c.req.Seed, c.req.MaxTokens = new(0.0), seed, &e.maxTokens
	c.req.ReasoningEffort, c.req.Extra = e.spec.ReasoningEffort, maps.Clone(e.spec.Body)
	return c
}

// complete asks. What the server says it does not support is left out from then on: without a schema the reply has the
// form for which the prompt asks.
func (c *call) complete(ctx context.Context) (chat.Reply, error) {
	for {
		lacks := feature(c.endpoint.lacks.Load()) & c.optional
		req := c.without(lacks)
		reply, err := c.send(ctx, &req)
		more := refused(err) & c.optional &^ lacks
		if more == 0 {
			return reply, err
		}
		c.endpoint.lacks.Or(uint32(more))
	}
}

// send makes one call, and tells whoever watches.
func (c *call) send(ctx context.Context, req *chat.Request) (chat.Reply, error) {
	var done func(*chat.Reply, error)
	if c.watch != nil {
		done = c.watch(c.endpoint.spec, req)
	}
	reply, err := c.endpoint.client.Complete(ctx, req, nil)
	if done != nil {
		done(&reply, err)
	}
	return reply, err
}

func (c *call) without(lacks feature) chat.Request {
	req := c.req
	req.Messages = slices.Clip(req.Messages)
	if lacks&withSchema != 0 {
		req.JSONSchema = nil
	}
	if lacks&withTemperature != 0 {
		req.Temperature = nil
	}
	if lacks&withSeed != 0 {
		req.Seed = nil
	}
	if lacks&withMaxTokens != 0 {
		req.MaxTokens = nil
	}
	return req
}
