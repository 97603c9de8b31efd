package cassette

import (
	"context"
	"errors"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/providers"
)

// failure is a recorded error. A replay returns an error of the same type with the same text.
type failure struct {
	Text Text `json:"text"`
	// The following fields are for model calls.
	Kind         string  `json:"kind,omitempty"`
	Message      Text    `json:"message,omitempty"` // "": the whole text
	Provider     string  `json:"provider,omitempty"`
	Status       int     `json:"status,omitempty"`
	RetryAfterMS float64 `json:"retry_after_ms,omitempty"`
	Attempts     int     `json:"attempts,omitempty"`
	Final        bool    `json:"final,omitempty"`
	// Usage of a failed call; nil: none.
	Usage   *usage   `json:"usage,omitempty"`
	CostUSD *float64 `json:"cost_usd,omitempty"` // nil: not known

	NoJudge bool `json:"no_judge,omitempty"` // no judge was configured
	Ended   bool `json:"ended,omitempty"`    // the trial's time limit ended the call
}

func (enc encoder) failureOf(ctx context.Context, err error) *failure {
	f := &failure{Text: enc.text(err.Error()), NoJudge: errors.Is(err, grading.ErrNoJudge)}
	if took, usd := providers.Spent(err); took != (chat.Usage{}) {
		f.Usage, f.CostUSD = new(usageOf(took)), usd
	}
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
		f.Text, f.Ended = enc.text(cause.Error()), true
		return f
	}
	if e, failed := errors.AsType[*providers.Error](err); failed {
		f.Kind, f.Message, f.Provider, f.Status = string(e.Kind), enc.text(e.Msg), e.Provider, e.Status
		f.Attempts, f.Final = e.Attempts, e.Final
		f.RetryAfterMS = float64(e.RetryAfter) / float64(time.Millisecond)
	}
	return f
}

// err returns the recorded error.
func (f *failure) err() error {
	switch {
	case f.Ended:
		if f.Usage == nil {
			return f.cause()
		}
		return &providers.Ended{Usage: f.Usage.chat(), CostUSD: f.CostUSD, Err: f.cause()}
	case f.NoJudge:
		return &recordedError{string(f.Text), grading.ErrNoJudge}
	case f.Kind == "" && f.Usage != nil:
		return &providers.Ended{Usage: f.Usage.chat(), CostUSD: f.CostUSD, Err: errors.New(string(f.Text))}
	case f.Kind == "":
		return errors.New(string(f.Text))
	}
	e := &providers.Error{
		Kind: providers.Kind(f.Kind), Provider: f.Provider, Status: f.Status, Msg: string(f.Message), Attempts: f.Attempts,
		RetryAfter: time.Duration(min(max(f.RetryAfterMS, 0), maxMS) * float64(time.Millisecond)), Final: f.Final,
	}
	_ = f.addUsage(e) // changes e
	if e.Error() == string(f.Text) {
		return e
	}
	return &recordedError{string(f.Text), e}
}

// cause is what ended the recorded trial before the reply came.
func (f *failure) cause() error { return endedError{text: string(f.Text)} }

// addUsage sets the usage and cost of the failed call.
func (f *failure) addUsage(e *providers.Error) *providers.Error {
	if f.Usage != nil {
		e.Usage, e.CostUSD = f.Usage.chat(), f.CostUSD
	}
	return e
}

// recordedError is a recorded error that wraps another.
type recordedError struct {
	text string
	err  error
}

func (e *recordedError) Error() string { return e.text }

func (e *recordedError) Unwrap() error { return e.err }

// endedError is returned where the recorded trial ended before the reply came.
type endedError struct{ text string }

func (e endedError) Error() string { return e.text }
