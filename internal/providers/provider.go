// Package providers talks to models. Every provider, real or simulated, is one method; retry, rate limit and cost are
// wrappers of the same interface.
package providers

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
)

// Provider runs model calls. It is safe for concurrent use.
type Provider interface {
	// Complete runs one model call. With req.Stream the text of the reply is also given to onDelta as it arrives;
	// an error from onDelta stops the stream and is returned. onDelta may be nil. A failed call returns *Error,
	// except when ctx is done: then ctx's cause.
	Complete(ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error)
}
