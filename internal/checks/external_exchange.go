package checks

import (
	"context"
	"time"

	"github.com/arena-evals/arena/internal/providers"
)

// Outside stands between checks and what they ask outside of the process. It is safe for concurrent use.
type Outside interface {
	// Exchange answers what a check sends, if need be by live, which asks the world. What live fails with is an error
	// that is safe to show.
	Exchange(ctx context.Context, sent Sent, live func() (Received, error)) (Received, error)
}

// OutsideKind is the kind of what a check asks.
type OutsideKind string

// The kinds.
const (
	OverHTTP  OutsideKind = "http"    // an endpoint
	ByProgram OutsideKind = "program" // its stdin and stdout
	ByAgent   OutsideKind = "agent"   // over A2A
)

// Sent is what a check sends, without headers and environment.
type Sent struct {
	Kind   OutsideKind
	To     string // address or program, as its author wrote it
	Method string // of HTTP
	Body   []byte

	scrub *providers.Scrubber // takes secrets out of what comes back
}

// Received is what came back, without secrets.
type Received struct {
	Status int    // of HTTP
	State  string // of an agent's task; "" when it answered with a message
	Text   string
	Stderr string // of a program, its end
}

// exchange asks the world, or who stands before it. That one learns no secret.
func (s *Subject) exchange(ctx context.Context, sent Sent, live func() (Received, error)) (Received, error) {
	if s.Outside == nil {
		return live()
	}
	return s.Outside.Exchange(ctx, sent, func() (Received, error) {
		r, err := live()
		r.Text, r.Stderr = sent.scrub.Text(r.Text), sent.scrub.Text(r.Stderr)
		return r, err
	})
}

// ask is exchange with an endpoint that has so much time. unset is why its address is not known; nil when it is.
func (s *Subject) ask(
	ctx context.Context, sent Sent, timeout time.Duration, unset error, live func(ctx context.Context) (Received, error),
) (Received, error) {
	got, err := s.exchange(ctx, sent, func() (Received, error) {
		if unset != nil {
			return Received{}, unset
		}
		limited, cancel := context.WithTimeoutCause(ctx, timeout, timeoutError{timeout})
		defer cancel()
		return live(limited)
	})
	if err != nil && ctx.Err() != nil {
		err = endOfTrial(ctx)
	}
	return got, err
}
