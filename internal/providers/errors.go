package providers

import (
	"errors"
	"fmt"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// Kind classes what can go wrong in a model call.
type Kind string

// The kinds.
const (
	Auth      Kind = "auth"       // 401, 403, no key
	RateLimit Kind = "rate_limit" // 429
	Timeout   Kind = "timeout"    // no answer, or silence within a stream
	Transport Kind = "transport"  // refused, reset, cut, 5xx
	BadReply  Kind = "bad_reply"  // an answer that cannot be read, or has no choice
	Refused   Kind = "refused"    // the provider will not answer this: 400, 404, content filter
)

// Error is a failed model call. Its text is safe to show: keys are scrubbed, the body is cut short.
type Error struct {
	Kind       Kind
	Provider   string // id
	Status     int    // HTTP status; 0 when there was none
	RetryAfter time.Duration
	Msg        string // lower case, with what to do next where that is known
	Attempts   int    // made in all; set by Retry
	Final      bool   // the same call fails again, whatever Kind says: a mock without a reply, a spent quota
	Settled    bool   // the reply came whole and is of no use: one more call may bring another, not three
	Err        error  // cause; may be nil

	// Usage is what the call took although nothing came of it: what the server counted, or an estimate where a reply had
	// begun; estimated and zero where nobody knows. Set by Retry it is that of all attempts. CostUSD is its price; nil:
	// not known. Cost sets it.
	Usage   chat.Usage
	CostUSD *float64

	// Partial is the part of an agent's reply that came before its call failed; nil: not known. It is not used as a reply,
	// but to find values to redact, which the error may repeat.
	Partial *chat.Reply
}

func (e *Error) Error() string {
	text := e.Msg
	if e.Provider != "" {
		text = fmt.Sprintf("provider %s: %s", e.Provider, e.Msg)
	}
	if e.Attempts > 1 {
		text += fmt.Sprintf(" (%d attempts)", e.Attempts)
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Ended is a call that its context ended, or an error of onDelta, after it had taken something. Its text is that of the
// cause.
type Ended struct {
	Usage   chat.Usage // of all attempts, as in Error
	CostUSD *float64   // nil: not known; Cost sets it
	Err     error      // never nil
}

func (e *Ended) Error() string { return e.Err.Error() }

func (e *Ended) Unwrap() error { return e.Err }

// Spent is what a call took that came to nothing, and its price; nil: not known. The usage is zero where nobody knows
// of any.
func Spent(err error) (usage chat.Usage, usd *float64) {
	if ended, ok := errors.AsType[*Ended](err); ok {
		return ended.Usage, ended.CostUSD
	}
	if failed, ok := errors.AsType[*Error](err); ok {
		return failed.Usage, failed.CostUSD
	}
	return chat.Usage{}, nil
}

// Temporary reports whether the same call may work later.
func (e *Error) Temporary() bool {
	if e.Final {
		return false
	}
	return e.Kind == RateLimit || e.Kind == Timeout || e.Kind == Transport || e.Kind == BadReply
}

// Misconfigured is a setting of a provider that cannot work, found when the provider was made.
type Misconfigured struct {
	Pos  diag.Pos
	Msg  string // lower case, without the provider
	Hint string
}

// Unfilled is a provider whose address or headers need variables that the environment does not have.
type Unfilled struct {
	Provider string
	Unset    []scenario.Unset // at least one
}

func (e *Unfilled) Error() string {
	return fmt.Sprintf("provider %s: the environment has no %s: %s", e.Provider, e.Unset[0].Name, e.Unset[0].Advice())
}

func (e *Misconfigured) Error() string {
	if e.Hint == "" {
		return e.Msg
	}
	return e.Msg + "; " + e.Hint
}

// NotAvailable is a provider that is known by name and that this version cannot talk to.
type NotAvailable struct{ Msg string }

func (e *NotAvailable) Error() string { return e.Msg }
