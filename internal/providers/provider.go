// Package providers talks to models. Every provider, real or simulated, is one method; retry, rate limit and cost are
// wrappers of the same interface.
package providers

import (
	"context"
	"io"

	"github.com/arena-evals/arena/internal/chat"
)

// Provider runs model calls. It is safe for concurrent use.
type Provider interface {
	// Complete runs one model call. With req.Stream the text of the reply is also given to onDelta as it arrives;
	// an error from onDelta stops the stream and is returned. onDelta may be nil. A failed call returns *Error,
	// except when ctx is done: then ctx's cause.
	Complete(ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error)
}

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
