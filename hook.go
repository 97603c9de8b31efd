package arena

import (
	"context"
	"errors"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// ProviderHook sees every call of a model, those of judges too, and may change or refuse it. It must be safe for
// concurrent use. With several hooks, BeforeCall runs in their order and AfterCall in reverse order.
//
// An error, or a panic, refuses the call: the trial, or the verdict of the judge, is an error that names the hook. A
// hook never makes anything pass.
type ProviderHook interface {
	// Name is shown in messages about what the hook refused, changed or broke.
	Name() string
	// BeforeCall is called before the model is. The model gets its changes to req, except those to Origin.
	BeforeCall(ctx context.Context, req *Request) error
	// AfterCall is called with the reply, before guardrails see it. Its changes to text, parts, tool calls and finish
	// reason replace those of the reply, and the report says so. It is not called for calls that failed.
	AfterCall(ctx context.Context, req *Request, reply *Reply) error
}

// ChunkInterceptor is a [ProviderHook] that also sees the pieces of a reply that is streamed.
type ChunkInterceptor interface {
	ProviderHook
	// OnChunk is called for each piece. [ErrStopStream] closes the stream: the reply is the text so far, without tool
	// calls, and the report says which hook closed it. Another error refuses the call.
	OnChunk(ctx context.Context, req *Request, chunk Chunk) error
}

// ErrStopStream is returned by OnChunk to close the stream.
var ErrStopStream = errors.New("enough of the reply has come")

// Chunk is a piece of a reply.
type Chunk struct {
	Text  string // of this piece
	SoFar string // all text so far, including this piece
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
	Origin      Origin // where in the run the call is made; for information only
}

// ToolSpec is the definition of a tool that is offered to a model.
type ToolSpec struct {
	Name, Description string
	Schema            []byte // JSON Schema of the arguments
}

// Origin is the place in a run from which a model is called.
type Origin struct {
	Provider, Model string // id of the provider, and the model as files name it
	Scenario        string // id
	Trial           int    // from 1
	Turn            int    // from 0; -1: after the conversation, for a judge
	Round           int    // number of the call within the turn, from 0; tool calls lead to further rounds
	Step            string // id of the step of a composition that calls; "" outside of steps
	Judge           string // name of the judge that is asked; "" when the agent is
}

// Reply is the reply of a model.
type Reply struct {
	Text         string
	Parts        []Part // of a reply that holds more than text; nil otherwise
	ToolCalls    []ToolCall
	FinishReason string // stop, length, tool_calls, content_filter

	// The following fields are for information only.
	Model   string // as the provider named it
	Usage   Usage
	CostUSD *float64 // nil: not known
	Latency time.Duration
}

// hooked is a provider with hooks around it.
type hooked struct {
	next   providers.Provider
	hooks  []namedHook
	origin Origin
}

type namedHook struct {
	ProviderHook
	name string
}

// Unwrap returns the provider within, which may have something to close.
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
