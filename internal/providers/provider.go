// Package providers defines the interface to models, with wrappers that retry, limit and price calls. Every provider,
// real or simulated, is one method; retry, rate limit and cost are wrappers of the same interface.
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
	// returns *Error, except when ctx is done: then ctx's cause. That and the error of onDelta are wrapped in Ended where
	// the call had taken something.
	Complete(ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error)
}

// ErrEnough is what onDelta returns to close the stream and keep what came. The call succeeds then. Its reply has the
// text that was handed out and no tool calls. Its finish reason is "" unless the model had finished, and its tokens are
// estimated unless the server reported them.
var ErrEnough = errors.New("enough of the reply was read")

// Close lets go of what a provider holds, such as idle connections. It looks through the wrappers of this package.
// The provider still works afterwards.
func Close(p Provider) error {
	if c, ok := unwrapTo[io.Closer](p); ok {
		return c.Close()
	}
	return nil
}

// Strays closes a provider, and says what has come for it that belonged to no call, each time once.
func Strays(p Provider) []string {
	s, ok := unwrapTo[interface{ Strays() []string }](p)
	if !ok || Close(p) != nil {
		return nil
	}
	return s.Strays()
}

// Address is where the calls of a provider go; "" when it does not say. It looks through the wrappers of this package.
func Address(p Provider) string {
	if a, ok := unwrapTo[interface{ Address() string }](p); ok {
		return a.Address()
	}
	return ""
}

// unwrapTo is the first of a provider and the providers that it wraps that is a T.
func unwrapTo[T any](p Provider) (found T, ok bool) {
	for p != nil {
		if found, ok = p.(T); ok {
			return found, true
		}
		w, wraps := p.(interface{ Unwrap() Provider })
		if !wraps {
			return found, false
		}
		p = w.Unwrap()
	}
	return found, false
}
