package arena

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/contain"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
)

// Agent is an agent under test that is written in Go, in place of a model. It must be safe for concurrent use: trials
// run at once.
//
// Arena asks it for the next reply of a conversation, as it asks a model. The agent keeps no state: the request holds
// the whole conversation. Arena runs the tools that the reply calls, as the files say, and asks again with their
// results, until a reply calls none. Guardrails, assertions and evals judge its replies like those of a model.
//
// An error, or a panic of Answer, makes the trial an error. The call is not repeated.
type Agent interface {
	// Answer returns the next reply. If req.Stream is set, the text may be passed to emit in pieces; then the pieces
	// are the text of the reply. An error of emit means that a guardrail closed the stream: the reply is what was
	// emitted so far, and Answer should return.
	Answer(ctx context.Context, req *Request, emit func(text string) error) (*Reply, error)
}

// AgentFunc is a function that is an [Agent].
type AgentFunc func(ctx context.Context, req *Request, emit func(text string) error) (*Reply, error)

// Answer implements [Agent].
func (f AgentFunc) Answer(ctx context.Context, req *Request, emit func(text string) error) (*Reply, error) {
	return f(ctx, req, emit)
}

// agentNames returns the ids of the agents in Go, sorted.
func (o *Options) agentNames() []string { return slices.Sorted(maps.Keys(o.Agents)) }

// registerAgents replaces the providers of all projects that have the id of an agent in Go. It returns the providers of
// the agents that replace none.
func registerAgents(suite *scenario.Suite, names []string) (others []*scenario.Provider) {
	for _, name := range names {
		found := false
		for _, p := range suite.Projects {
			for i, q := range p.Providers {
				if q.ID != name {
					continue
				}
				found = true
				p.Providers[i] = &scenario.Provider{
					Meta: q.Meta, Type: scenario.ProviderOfProgram, Model: q.Model, Role: "llm", Group: q.Group, Grouped: q.Grouped,
					Capabilities: q.Capabilities,
				}
			}
		}
		if !found {
			others = append(others, &scenario.Provider{
				Meta: scenario.Meta{ID: name}, Type: scenario.ProviderOfProgram, Role: "llm",
			})
		}
	}
	return others
}

// goAgent is the provider of an agent in Go.
type goAgent struct {
	id    string
	agent Agent
	now   func() time.Time
}

// Complete implements providers.Provider.
func (a *goAgent) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	call := agentCall{onDelta: onDelta}
	if !req.Stream {
		call.onDelta = nil
	}
	began := a.now()
	r, err := contain.Call(ctx, "the agent", func() (*Reply, error) {
		return a.agent.Answer(ctx, requestFrom(req, Origin{Provider: a.id}), call.emit)
	})
	elapsed := a.now().Sub(began)
	switch {
	case ctx.Err() != nil:
		return chat.Reply{}, context.Cause(ctx)
	case errors.Is(call.stopped, providers.ErrEnough):
		cut := chat.Reply{Content: call.emitted.String(), LatencyMS: milliseconds(&elapsed), CostUSD: costOf(r)}
		if r != nil {
			cut.Usage = usageTo(r.Usage)
		}
		return cut, nil
	case call.stopped != nil:
		return chat.Reply{}, call.stopped
	case err == nil && r == nil:
		err = errors.New("the agent returned neither a reply nor an error")
	}
	if err != nil {
		return chat.Reply{}, finalError(err)
	}
	reply, err := call.reply(r)
	if err != nil {
		return chat.Reply{}, finalError(err)
	}
	if reply.LatencyMS == 0 {
		reply.LatencyMS = milliseconds(&elapsed)
	}
	return reply, nil
}

// finalError is an error after which the call is not repeated.
func finalError(err error) error {
	return &providers.Error{Kind: providers.BadReply, Final: true, Msg: err.Error(), Err: err}
}

// agentCall is one call of an agent. Only the goroutine of the agent uses it until the agent has answered.
type agentCall struct {
	onDelta func(chat.Delta) error // nil: the reply is not streamed
	emitted strings.Builder
	stopped error // of onDelta
}

func (c *agentCall) emit(text string) error {
	if c.stopped != nil {
		return c.stopped
	}
	c.emitted.WriteString(text)
	if c.onDelta != nil && text != "" {
		c.stopped = c.onDelta(chat.Delta{Text: text})
	}
	return c.stopped
}

// reply converts the reply of the agent to that of a provider.
func (c *agentCall) reply(r *Reply) (chat.Reply, error) {
	text := r.Text
	if emitted := c.emitted.String(); emitted != "" {
		if text != "" && text != emitted {
			return chat.Reply{}, fmt.Errorf("the agent streamed %s and returned %s; leave Text empty, or set it to the "+
				"text that was streamed", say.Named(emitted), say.Named(text))
		}
		text = emitted
	}
	out := chat.Reply{
		FinishReason: r.FinishReason, Model: r.Model, Usage: usageTo(r.Usage), CostUSD: costOf(r),
		LatencyMS: milliseconds(&r.Latency),
	}
	var known knownParts
	out.Content, out.Parts = known.content(text, r.Parts)
	for i, call := range r.ToolCalls {
		args, err := plain(call.Args)
		switch {
		case err != nil:
			return chat.Reply{}, fmt.Errorf("the arguments of %s cannot be written as JSON: %w", say.Named(call.Name), err)
		case call.Name == "":
			return chat.Reply{}, fmt.Errorf("ToolCalls[%d] names no tool", i)
		case args == nil && call.BadArgs == "":
			args = chat.Args{}
		}
		id := call.ID
		if id == "" {
			id = fmt.Sprintf("call_%d", i+1)
		}
		out.ToolCalls = append(out.ToolCalls, chat.ToolCall{ID: id, Name: call.Name, Args: args, BadArgs: call.BadArgs})
	}
	if out.FinishReason == "" {
		out.FinishReason = "stop"
		if len(out.ToolCalls) > 0 {
			out.FinishReason = "tool_calls"
		}
	}
	return out, nil
}

// costOf returns the cost of a reply. One without a cost and without tokens cost nothing: no model was called.
func costOf(r *Reply) *float64 {
	switch {
	case r == nil:
		return nil
	case r.CostUSD == nil && r.Usage == (Usage{}):
		return new(0.0)
	}
	return clone(r.CostUSD)
}
