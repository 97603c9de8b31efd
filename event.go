package arena

import (
	"context"
	"encoding/json"
	"time"

	"github.com/arena-evals/arena/internal/contain"
	"github.com/arena-evals/arena/internal/result"
)

// EventKind says what an [Event] is about. `arena schema events` has the data of each kind.
type EventKind string

// The kinds, in the order in which they occur in a run.
const (
	EventTrialStarted     EventKind = "trial.started"
	EventTurnStarted      EventKind = "turn.started"
	EventMessageCreated   EventKind = "message.created"
	EventCallStarted      EventKind = "provider.call.started"
	EventCallCompleted    EventKind = "provider.call.completed"
	EventCallFailed       EventKind = "provider.call.failed"
	EventToolStarted      EventKind = "tool.call.started"
	EventToolCompleted    EventKind = "tool.call.completed"
	EventValidationFailed EventKind = "validation.failed" // a guardrail fired
	EventEvalCompleted    EventKind = "eval.completed"
	EventEvalFailed       EventKind = "eval.failed"
	EventVerdict          EventKind = "verdict"
	EventTurnCompleted    EventKind = "turn.completed"
	EventTrialCompleted   EventKind = "trial.completed"
)

// Event is something that happens in a run. The events of one trial come in order; those of concurrent trials are
// interleaved.
type Event struct {
	Kind EventKind
	// Time is simulated within a trial that a mock or a recording answers, so that it is the same in every run.
	Time     time.Time
	Trial    string // id
	Scenario string
	Provider string // that is tested
	Turn     int    // from 0; -1: what concerns the whole conversation
	Done     *Trial // of EventTrialCompleted; nil otherwise. With Options.Out it is on disk

	source result.Event
}

// Data returns the data of the event as `arena run --events` writes it, as JSON. It may be called while OnEvent runs.
func (e Event) Data() (json.RawMessage, error) {
	switch source := e.source.(type) {
	case nil:
		return nil, nil
	case result.TrialDone:
		return json.Marshal(source.Outcome())
	default:
		return json.Marshal(source)
	}
}

func eventFrom(e result.Event) Event {
	at := e.Place()
	out := Event{
		Kind: EventKind(e.Kind()), Time: at.Time, Trial: at.Trial, Scenario: at.Scenario, Provider: at.Provider,
		Turn: at.Turn, source: e,
	}
	if done, ok := e.(result.TrialDone); ok {
		out.Done = trialFrom(done.Trial)
	}
	return out
}

// callOnEvent calls OnEvent, also after ctx has ended: it gets the last events of a run that was stopped too.
func callOnEvent(ctx context.Context, onEvent func(Event), e Event) error {
	return contain.Do(context.WithoutCancel(ctx), "OnEvent", func() error {
		onEvent(e)
		return nil
	})
}
