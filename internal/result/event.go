package result

import "time"

// Event is something that happened in a run. Each event is delivered once, in order, to one goroutine. The events of
// one trial are in the order in which they happened; the events of concurrent trials are mixed.
//
// An event encoded as JSON is its data in the event stream, except for TrialDone.
type Event interface {
	Kind() EventKind
	// Place says when and where the event happened. For TrialStarted and TrialDone it is empty unless all events are
	// collected.
	Place() At
}

// EventVersion is the version of the event stream.
const EventVersion = 1

// EventKind is the name of a kind of events in the stream.
type EventKind string

// The kinds, in the order in which they occur in a run.
const (
	KindRunStarted       EventKind = "run.started"
	KindTrialStarted     EventKind = "trial.started"
	KindTurnStarted      EventKind = "turn.started"
	KindMessageCreated   EventKind = "message.created"
	KindCallStarted      EventKind = "provider.call.started"
	KindCallCompleted    EventKind = "provider.call.completed"
	KindCallFailed       EventKind = "provider.call.failed"
	KindToolStarted      EventKind = "tool.call.started"
	KindToolCompleted    EventKind = "tool.call.completed"
	KindStateChanged     EventKind = "workflow.transition"
	KindStepStarted      EventKind = "composition.step.started"
	KindStepCompleted    EventKind = "composition.step.completed"
	KindValidationFailed EventKind = "validation.failed"
	KindEvalCompleted    EventKind = "eval.completed"
	KindEvalFailed       EventKind = "eval.failed"
	KindVerdict          EventKind = "verdict"
	KindTurnCompleted    EventKind = "turn.completed"
	KindTrialCompleted   EventKind = "trial.completed"
	KindGroupCompleted   EventKind = "group.completed"
	KindRunCompleted     EventKind = "run.completed"
)

// EventKinds returns the kinds in this order.
func EventKinds() []EventKind {
	return []EventKind{
		KindRunStarted, KindTrialStarted, KindTurnStarted, KindMessageCreated, KindCallStarted, KindCallCompleted,
		KindCallFailed, KindToolStarted, KindToolCompleted, KindStateChanged, KindStepStarted, KindStepCompleted,
		KindValidationFailed, KindEvalCompleted,
		KindEvalFailed,
		KindVerdict, KindTurnCompleted, KindTrialCompleted, KindGroupCompleted, KindRunCompleted,
	}
}

// NoTurn is the turn of events that concern a whole conversation or run.
const NoTurn = -1

// At is when and where something happened.
type At struct {
	// Time is when it happened. In a trial with a simulated provider it is the start of the run plus the simulated time of
	// the trial, so that it is equal in every run.
	Time     time.Time
	Trial    string // id; "" for events of the run
	Scenario string
	Provider string // the provider under test, also for calls of judges
	Turn     int    // index from 0, or NoTurn
	Step     string // of a composition; "" outside of steps
}

// Place implements Event.
func (a At) Place() At { return a }
