package checks

import (
	"context"
	"time"

	"github.com/arena-evals/arena/internal/providers"
)

// Outside is the connection between checks and external programs, endpoints and agents; it can record and replay. It is
// safe for concurrent use.
type Outside interface {
	// Exchange returns the answer to a request of a check. It calls live when it has no answer itself. Errors of live are
	// safe to show.
	Exchange(ctx context.Context, sent Sent, live func() (Received, error)) (Received, error)
}

// OutsideKind is the kind of an external evaluator.
type OutsideKind string

// The kinds.
const (
	OverHTTP  OutsideKind = "http"    // an endpoint
	ByProgram OutsideKind = "program" // a program, by stdin and stdout
	ByAgent   OutsideKind = "agent"   // an agent, by A2A
)

// Sent is what a check sends, without headers and environment.
type Sent struct {
	Kind   OutsideKind
	To     string // address or program, as the author wrote it
	Method string // of HTTP
	Body   []byte

	scrub *providers.Scrubber // removes secrets from the answer
}

// Received is the answer, without secrets.
type Received struct {
	Status int    // of HTTP
	State  string // of an agent's task; "" when it answered with a message
	Text   string
	Stderr string // of a program, the end of its stderr
}

// exchange calls live, or the Outside of the subject. The Outside gets no secrets.
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

// ask is exchange with an endpoint and a time limit. unset says why its address is not known; nil: it is known.
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
