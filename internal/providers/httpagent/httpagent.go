// Package httpagent is the provider whose agent is an HTTP endpoint of any form: the provider's file describes the
// requests, and where in an answer the text, tool calls and usage are.
package httpagent

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// Provider asks the endpoint of a provider of type http. It is safe for concurrent use.
type Provider struct {
	*scenario.HTTPAgent
	id, model string
	url       string
	headers   map[string]string
	client    *wire.Client
	unsent    bool // nobody is sent anything
	shows     bool // media stand in {{messages}} and {{history}}
	paths     paths
	owners    owners
}

// New makes the provider. It does not touch the network.
func New(spec *scenario.Provider, o wire.Options) (*Provider, error) {
	if spec.HTTP == nil || spec.BaseURL == "" {
		return nil, &providers.Misconfigured{Pos: spec.Pos, Msg: "additional_config.url is missing"}
	}
	p := &Provider{HTTPAgent: spec.HTTP, id: spec.ID, model: spec.Model, url: spec.BaseURL, headers: spec.Headers}
	var err error
	if p.paths, err = compile(spec.HTTP); err != nil { // which loading has reported
		return nil, &providers.Misconfigured{Pos: spec.Pos, Msg: err.Error()}
	}
	e := wire.Endpoint{
		URL: spec.BaseURL, Header: wire.Header(spec.Headers), Method: spec.HTTP.Method, Setting: "additional_config.url",
		Hint: hint,
	}
	for _, put := range spec.HTTP.FromEnv {
		e.Secrets = append(e.Secrets, put.Value)
	}
	p.client, p.unsent, p.shows = wire.New(spec, e, o), o.Unsent, spec.ShowsMedia()
	return p, nil
}

// hint says what to do about a refusal.
func hint(status int, _ wire.Report) string {
	switch status {
	case http.StatusUnauthorized:
		return "check what additional_config.headers sends to prove who asks"
	case http.StatusForbidden:
		return "who asks may not do this; check additional_config.headers"
	case http.StatusNotFound:
		return "check additional_config.url"
	case http.StatusMethodNotAllowed:
		return "check additional_config.method"
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusUnsupportedMediaType:
		return "check what additional_config.body sends; arena prompt --wire shows it"
	}
	return ""
}

// Close drops the idle connections.
func (p *Provider) Close() error { return p.client.Close() }

// Address is where it is asked, with places that each request fills.
func (p *Provider) Address() string { return p.url }

// Complete implements providers.Provider. Reported tool calls are returned with their results in a reply without text,
// before the reply with the text, as a model would do.
func (p *Provider) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	if ctx.Err() != nil {
		return chat.Reply{}, context.Cause(ctx)
	}
	c, err := p.conversation(ctx, req)
	if err != nil {
		return chat.Reply{}, p.fail(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !req.Stream {
		onDelta = nil
	}
	if req.Origin.Reply > 0 && !p.AsksTools {
		if c.reply == nil {
			return chat.Reply{}, p.fail(errors.New("it was asked to go on with a reply that it had finished"))
		}
		reply := *c.reply
		c.reply = nil
		return p.deliver(reply, onDelta)
	}
	c.reply = nil
	reply, err := p.ask(ctx, c, req, onDelta)
	if err != nil {
		return chat.Reply{}, p.failed(err)
	}
	if len(reply.ToolCalls) == 0 || p.AsksTools {
		return reply, nil
	}
	called := chat.Reply{
		ToolCalls: reply.ToolCalls, ToolResults: reply.ToolResults, FinishReason: "tool_calls", Model: reply.Model,
		CostUSD: new(0.0), Unreported: reply.Unreported, LatencyMS: reply.LatencyMS, // what it took is told with its words
	}
	reply.ToolCalls, reply.ToolResults, reply.LatencyMS = nil, nil, 0
	c.reply = &reply
	return called, nil
}

// ask makes the request.
func (p *Provider) ask(
	ctx context.Context, c *conversation, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	q, err := p.request(ctx, c, req)
	if err != nil {
		return chat.Reply{}, err
	}
	asked := *req
	asked.Stream = p.Stream != nil
	listen := onDelta
	if p.Stream == nil || p.ToolCalls != "" { // what it says comes behind what it did
		listen = nil
	}
	x := &exchange{p: p, c: c, body: q.body}
	reply, err := p.client.At(q.url, q.header).Complete(ctx, x, &asked, listen)
	if err != nil {
		return chat.Reply{}, err
	}
	if reply.Unreported == nil { // nobody wanted all of it
		reply.Unreported = []string{chat.UnreportedModelCalls, chat.UnreportedToolCalls}
		c.cut = p.SessionFrom != "" && c.session == nil
	}
	if reply.Model == "" {
		reply.Model = p.model
	}
	if x.usd != nil {
		reply.CostUSD = x.usd
	}
	if listen != nil || len(reply.ToolCalls) > 0 {
		return reply, nil
	}
	return p.deliver(reply, onDelta)
}

// deliver passes a complete reply to a caller that wants a stream.
func (p *Provider) deliver(r chat.Reply, onDelta func(chat.Delta) error) (chat.Reply, error) {
	if onDelta == nil || r.Content == "" {
		return r, nil
	}
	if err := onDelta(chat.Delta{Text: r.Content}); err != nil && !errors.Is(err, providers.ErrEnough) {
		return chat.Reply{}, err
	}
	return r, nil
}

func (p *Provider) fail(err error) error {
	return &providers.Error{Kind: providers.Refused, Provider: p.id, Final: true, Msg: err.Error(), Err: err}
}

// failed is the error of a call. Another one is worth making only where the endpoint says that it did nothing, or was
// never reached: else the agent may have heard the message, and would hear it twice.
func (p *Provider) failed(err error) error {
	failed, ok := err.(*providers.Error) //nolint:errorlint // one that onDelta returns is not ours to change
	if !ok {
		return err
	}
	refused := failed.Status == http.StatusTooManyRequests || failed.Status >= http.StatusInternalServerError
	if !refused && !dial.Unsent(failed.Err) {
		failed.Final = true
	}
	return failed
}

// conversation returns the endpoint's state for a trial.
func (p *Provider) conversation(ctx context.Context, req *chat.Request) (*conversation, error) {
	t := providers.TrialOf(ctx)
	if t == nil { // a call by itself is a conversation by itself
		return newConversation(p, req.Origin.Scenario, req.Origin.Scenario), nil
	}
	part, ok := t.Keep(conversationKey{p, req.Origin.Step, req.Origin.Persona}, func() providers.TrialPart {
		return newConversation(p, t.ID, t.Scenario)
	})
	if !ok {
		return nil, errors.New("the trial is over")
	}
	return part.(*conversation), nil
}

var _ providers.Provider = (*Provider)(nil)

// blank reports whether a text says nothing.
func blank(text string) bool { return strings.TrimSpace(text) == "" }
