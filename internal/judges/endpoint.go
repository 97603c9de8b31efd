package judges

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// Limits of a judge's reply in tokens, unless its provider or the check asks for more. Reasoning tokens count as well.
const (
	replyTokens     = 1024
	reasoningTokens = 4096
)

// Endpoint is a model that grades, and what its server does not support. It is safe for concurrent use.
type Endpoint struct {
	Source      string // identifies the model and its server; set before the first question; "": not known
	client      providers.Provider
	spec        *scenario.Provider
	identity    []string // distinguishes it from other endpoints
	simulated   bool
	maxTokens   int
	unsupported atomic.Uint32 // set of features that the server refused
}

// NewEndpoint returns an endpoint for an open provider. The answer of a simulated one depends on the place in the run,
// not only on the question.
func NewEndpoint(client providers.Provider, spec *scenario.Provider, simulated bool) *Endpoint {
	e := &Endpoint{
		client: client, spec: spec, simulated: simulated, maxTokens: replyTokens,
		identity: []string{spec.ID, spec.Type, spec.BaseURL, spec.Model},
	}
	if reasoningModels().MatchString(spec.Model) {
		e.maxTokens = reasoningTokens
	}
	if spec.MaxTokens != nil {
		e.maxTokens = max(e.maxTokens, *spec.MaxTokens)
	}
	if budget := spec.Thoughts(); budget > 0 {
		e.maxTokens = max(e.maxTokens, budget+replyTokens) // thoughts are a part of it
	}
	return e
}

// mocked reports whether the cost of an answer is made up. That of a recording was paid once.
func (e *Endpoint) mocked() bool { return e.simulated && e.spec.Type != "replay" }

// reasoningModels matches the names of models that reason before they answer.
var reasoningModels = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|/)(?:o\d|gpt-[5-9]|gpt-oss|deepseek-(?:r\d|reasoner)|qwq|magistral|` +
		`gemini-(?:2\.5|[3-9]))`)
})

// feature is a part of a request that a judge can do without when the server refuses it.
type feature uint32

const (
	withSchema feature = 1 << iota
	withTemperature
	withSeed
	withMaxTokens
)

// call is the call for one question.
type call struct {
	endpoint *Endpoint
	req      chat.Request
	observer Observer
	optional feature // features that are defaults: the check did not ask for them
}

func (e *Endpoint) newCall(q *grading.Question, seed *int64) *call {
	c := &call{endpoint: e, optional: withSchema | withTemperature | withSeed | withMaxTokens}
	c.req.Messages, c.req.JSONSchema = q.Messages, q.Schema
	c.req.Temperature, c.req.Seed, c.req.MaxTokens = new(0.0), seed, &e.maxTokens
	c.req.ReasoningEffort, c.req.Extra = e.spec.ReasoningEffort, maps.Clone(e.spec.Body)
	return c
}

// complete calls the model. It leaves out features that the server does not support, also in later calls. Without a
// schema the prompt alone says what form the reply must have.
func (c *call) complete(ctx context.Context) (chat.Reply, error) {
	for {
		missing := feature(c.endpoint.unsupported.Load()) & c.optional
		req := c.without(missing)
		reply, err := c.send(ctx, &req)
		more := refusedFeatures(err) & c.optional &^ missing
		if more == 0 {
			return reply, err
		}
		c.endpoint.unsupported.Or(uint32(more))
	}
}

// send makes one call and reports it to the observer.
func (c *call) send(ctx context.Context, req *chat.Request) (chat.Reply, error) {
	var done func(*chat.Reply, error)
	if c.observer != nil {
		done = c.observer(c.endpoint.spec, req)
	}
	reply, err := c.endpoint.client.Complete(ctx, req, nil)
	if done != nil {
		done(&reply, err)
	}
	return reply, err
}

func (c *call) without(missing feature) chat.Request {
	req := c.req
	req.Messages = slices.Clip(req.Messages)
	if missing&withSchema != 0 {
		req.JSONSchema = nil
	}
	if missing&withTemperature != 0 {
		req.Temperature = nil
	}
	if missing&withSeed != 0 {
		req.Seed = nil
	}
	if missing&withMaxTokens != 0 {
		req.MaxTokens = nil
	}
	return req
}
