// Package providers talks to models. Every provider, real or simulated, is one method; retry, rate limit and cost are
// wrappers of the same interface.
package providers

import (
	"context"
	"errors"
	"io"

	"github.com/arena-evals/arena/internal/chat"
)

// Provider runs model calls. It is safe for concurrent use.
type Provider interface {
	// Complete runs one model call. With req.Stream the text of the reply is also given to onDelta as it arrives;
	// an error from onDelta stops the stream and is returned, but for ErrEnough. onDelta may be nil. A failed call
	// returns *Error, except when ctx is done: then ctx's cause.
	Complete(ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error)
}

// ErrEnough is what onDelta returns to have the stream closed and keep what came. The call succeeds then: its reply has
// the text that was handed out, no tool calls, "" for a finish reason unless the model had finished, and an estimate of
// the tokens unless they were reported.
var ErrEnough = errors.New("enough of the reply was read")

// Close lets go of what a provider holds, such as idle connections. It looks through the wrappers of this package.
// The provider still works afterwards.
func Close(p Provider) error {
	for p != nil {
		if c, ok := p.(io.Closer); ok {
			return c.Close()
		}
		w, ok := p.(interface{ Unwrap() Provider })
		if !ok {
			return nil
		}
		p = w.Unwrap()
	}
	return nil
}
