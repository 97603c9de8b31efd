package arena

import (
	"context"
	"errors"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// ProviderHook sees every call of a model, those of judges as well, and may change or refuse it. It must be safe for
// concurrent use. Where there are several, BeforeCall runs in their order and AfterCall in the opposite one.
//
// An error refuses the call: the trial in which it was made, or the verdict for which a judge was asked, is an error
// that names the hook. So it is when a method panics. A hook never makes anything pass.
type ProviderHook interface {
	// Name is shown where the hook refuses, changes or breaks something.
	Name() string
	// BeforeCall sees a call before it is made. What it changes in req, but for Origin, is what the model gets.
	BeforeCall(ctx context.Context, req *Request) error
	// AfterCall sees what came back, before guardrails do. What it changes in the text, the parts, the tool calls and
	// the finish reason is what everybody else sees; the report says that it did. It is not called for calls that failed.
	AfterCall(ctx context.Context, req *Request, reply *Reply) error
}

// ChunkInterceptor is a [ProviderHook] that also sees the pieces of a reply that streams, as the model sends them.
type ChunkInterceptor interface {
	ProviderHook
	// OnChunk sees a piece. [ErrStopStream] closes the stream: the reply is what has come, without tool calls, and the
	// report says who closed it. Another error refuses the call.
	OnChunk(ctx context.Context, req *Request, chunk Chunk) error
}

// ErrStopStream is what OnChunk returns when enough of a reply has come.
var ErrStopStream = errors.New("enough of the reply has come")

// Chunk is a piece of a reply.
type Chunk struct {
	Text  string // of this piece
	SoFar string // all that has come, with this piece
}

// Request is a call of a model. A nil pointer leaves the choice to the provider.
type Request struct {
	Messages    []Message
	Tools       []ToolSpec
	ToolChoice  string // auto, required, none or the name of a tool; "" is auto
	Temperature *float64
	TopP        *float64
	MaxTokens   *int
	Seed        *int64
	Stream      bool
	Origin      Origin // for whom the call is made; it is only told
}

// ToolSpec is what a model is told of a tool.
type ToolSpec struct {
	Name, Description string
	Schema            []byte // JSON Schema of the arguments
}

// Origin says from where in a run a model is called.
type Origin struct {
	Provider, Model string // id of the provider, and the model as files name it
	Scenario        string // id
	Trial           int    // from 1
	Turn            int    // from 0; -1: the conversation is over, and is judged
	Round           int    // number of the call within the turn, from 0: tools make more than one
	Step            string // id of the step of a composition that calls; "" outside of steps
	Judge           string // name of the judge that is asked; "" when the agent is
}

// Reply is what a model said.
type Reply struct {
	Text         string
	Parts        []Part // of a reply that holds more than text; nil otherwise
	ToolCalls    []ToolCall
	FinishReason string // stop, length, tool_calls, content_filter

	// What follows is only told.
	Model   string // as the provider named it
	Usage   Usage
	CostUSD *float64 // nil: not known
	Latency time.Duration
}

// hooked is a provider with the hooks of a program around it.
type hooked struct {
	next   providers.Provider
	hooks  []namedHook
	origin Origin
}

type namedHook struct {
	ProviderHook
	name string
}

// Unwrap lets what the provider holds be closed.
func (h *hooked) Unwrap() providers.Provider { return h.next }

// Complete implements providers.Provider.
func (h *hooked) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	c := newHookedCall(h, req)
	if err := c.before(ctx); err != nil {
		return chat.Reply{}, err
	}
	reply, err := h.next.Complete(ctx, c.sent, c.watch(ctx, onDelta))
	if err == nil {
		err = c.after(ctx, &reply)
	}
	c.note(&reply)
	return reply, err
}
