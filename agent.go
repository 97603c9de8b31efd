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
// It is asked for the next reply of a conversation, as a model is, and keeps no state of it: all that was said is in
// the request. Arena runs the tools that the reply calls, as the files say, and asks again with their results, until a
// reply calls none. Guardrails, assertions and evals judge what it says as they judge a model.
//
// An error makes the trial an error, and is not tried again; so it is when Answer panics.
type Agent interface {
	// Answer returns the next reply. Where req.Stream asks for it, what is said may be handed to tell piece by piece; then
	// it is the text of the reply. An error of tell says that nobody listens any more: a guardrail closed the stream, and
	// what was told is the reply.
	Answer(ctx context.Context, req *Request, tell func(text string) error) (*Reply, error)
}

// AgentFunc is a function that is an [Agent].
type AgentFunc func(ctx context.Context, req *Request, tell func(text string) error) (*Reply, error)

// Answer implements [Agent].
func (f AgentFunc) Answer(ctx context.Context, req *Request, tell func(text string) error) (*Reply, error) {
	return f(ctx, req, tell)
}

// agentNames are the ids of the agents of the program, sorted.
func (o *Options) agentNames() []string { return slices.Sorted(maps.Keys(o.Agents)) }

// seatAgents puts the agents of a program into a project, in place of the providers of the same id. It returns those
// that have no such place.
func seatAgents(suite *scenario.Suite, names []string) (others []*scenario.Provider) {
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

// goAgent is an agent of the program as a provider.
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
		return a.agent.Answer(ctx, requestFrom(req, Origin{Provider: a.id}), call.tell)
	})
	took := a.now().Sub(began)
	switch {
	case ctx.Err() != nil:
		return chat.Reply{}, context.Cause(ctx)
	case errors.Is(call.stopped, providers.ErrEnough):
		cut := chat.Reply{Content: call.told.String(), LatencyMS: milliseconds(&took), CostUSD: costOf(r)}
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
		return chat.Reply{}, unanswered(err)
	}
	reply, err := call.reply(r)
	if err != nil {
		return chat.Reply{}, unanswered(err)
	}
	if reply.LatencyMS == 0 {
		reply.LatencyMS = milliseconds(&took)
	}
	return reply, nil
}

// unanswered is an error that is not worth another attempt.
func unanswered(err error) error {
	return &providers.Error{Kind: providers.BadReply, Final: true, Msg: err.Error(), Err: err}
}

// agentCall is one call of an agent. It belongs to the goroutine of the agent until that has answered.
type agentCall struct {
	onDelta func(chat.Delta) error // nil: nobody listens
	told    strings.Builder
	stopped error // of onDelta
}

func (c *agentCall) tell(text string) error {
	if c.stopped != nil {
		return c.stopped
	}
	c.told.WriteString(text)
	if c.onDelta != nil && text != "" {
		c.stopped = c.onDelta(chat.Delta{Text: text})
	}
	return c.stopped
}

// reply is what the agent said, in the form in which models say it.
func (c *agentCall) reply(r *Reply) (chat.Reply, error) {
	text := r.Text
	if told := c.told.String(); told != "" {
		if text != "" && text != told {
			return chat.Reply{}, fmt.Errorf("the agent told %s and replied %s; a reply that was told has that text, or none",
				say.Named(told), say.Named(text))
		}
		text = told
	}
	out := chat.Reply{
		FinishReason: r.FinishReason, Model: r.Model, Usage: usageTo(r.Usage), CostUSD: costOf(r),
		LatencyMS: milliseconds(&r.Latency),
	}
	var known pieces
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

// costOf is what an answer cost. One without tokens has asked no model.
func costOf(r *Reply) *float64 {
	switch {
	case r == nil:
		return nil
	case r.CostUSD == nil && r.Usage == (Usage{}):
		return new(0.0)
	}
	return clone(r.CostUSD)
}
