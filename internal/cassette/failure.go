package cassette

import (
	"context"
	"errors"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/providers"
)

// failure is an error in the place of a reply. It comes back as an error of the same type and with the same text.
type failure struct {
	Text Text `json:"text"`
	// What follows is of a model call that failed.
	Kind         string  `json:"kind,omitempty"`
	Message      Text    `json:"message,omitempty"` // where it is not the whole text
	Provider     string  `json:"provider,omitempty"`
	Status       int     `json:"status,omitempty"`
	RetryAfterMS float64 `json:"retry_after_ms,omitempty"`
	Attempts     int     `json:"attempts,omitempty"`
	Final        bool    `json:"final,omitempty"`
	// What it took all the same; nil: nothing.
	Usage   *usage   `json:"usage,omitempty"`
	CostUSD *float64 `json:"cost_usd,omitempty"` // nil: not known

	NoJudge bool `json:"no_judge,omitempty"` // nobody was there to answer
	Ended   bool `json:"ended,omitempty"`    // the time of the trial was over
}

func (p pen) failureOf(ctx context.Context, err error) *failure {
	f := &failure{Text: p.text(err.Error()), NoJudge: errors.Is(err, checks.ErrNoJudge)}
	e, failed := errors.AsType[*providers.Error](err)
	if failed && e.Usage != (chat.Usage{}) {
		f.Usage, f.CostUSD = new(usageOf(e.Usage)), e.CostUSD
	}
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
		f.Text, f.Ended = p.text(cause.Error()), true
		return f
	}
	if failed {
		f.Kind, f.Message, f.Provider, f.Status = string(e.Kind), p.text(e.Msg), e.Provider, e.Status
		f.Attempts, f.Final = e.Attempts, e.Final
		f.RetryAfterMS = float64(e.RetryAfter) / float64(time.Millisecond)
	}
	return f
}

// err is the error that was recorded.
func (f *failure) err() error {
	switch {
	case f.Ended:
		ended := endedError{text: string(f.Text)}
		if f.Usage != nil {
			ended.spent = f.spent(&providers.Error{Kind: providers.Timeout})
		}
		return ended
	case f.NoJudge:
		return &recordedError{string(f.Text), checks.ErrNoJudge}
	case f.Kind == "":
		return errors.New(string(f.Text))
	}
	e := &providers.Error{
		Kind: providers.Kind(f.Kind), Provider: f.Provider, Status: f.Status, Msg: string(f.Message), Attempts: f.Attempts,
		RetryAfter: time.Duration(min(max(f.RetryAfterMS, 0), maxMS) * float64(time.Millisecond)), Final: f.Final,
	}
	_ = f.spent(e) // the same error, with what it cost
	if e.Error() == string(f.Text) {
		return e
	}
	return &recordedError{string(f.Text), e}
}

// spent is the error of a call that took as much.
func (f *failure) spent(e *providers.Error) *providers.Error {
	if f.Usage != nil {
		e.Usage, e.CostUSD = f.Usage.chat(), f.CostUSD
	}
	return e
}

// recordedError is an error with another one inside.
type recordedError struct {
	text string
	err  error
}

func (e *recordedError) Error() string { return e.text }

func (e *recordedError) Unwrap() error { return e.err }

// endedError is why the recorded trial was over before the reply came.
type endedError struct {
	text  string
	spent error // says what the call took; nil: nothing
}

func (e endedError) Error() string { return e.text }

func (e endedError) Unwrap() error { return e.spent }
