package result

import "time"

// Event is something that happened in a run. The stream is ordered, each event is delivered once, to one goroutine. The
// events of one trial come in the order in which things happened; those of trials that run at once are mixed.
//
// Except for TrialDone an event, encoded as JSON, is what the stream for machines says of it.
type Event interface {
	Kind() EventKind
	// Place says when and where it happened. Of TrialStarted and TrialDone it is empty in a run that nobody asked to
	// tell of everything.
	Place() At
}

// EventVersion of the stream of events as JSON.
const EventVersion = 1

// EventKind is the name of a kind of events in the stream.
type EventKind string

// The kinds, in the order in which a run meets them.
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
	KindRunCompleted     EventKind = "run.completed"
)

// EventKinds returns the kinds in this order.
func EventKinds() []EventKind {
	return []EventKind{
		KindRunStarted, KindTrialStarted, KindTurnStarted, KindMessageCreated, KindCallStarted, KindCallCompleted,
		KindCallFailed, KindToolStarted, KindToolCompleted, KindStateChanged, KindStepStarted, KindStepCompleted,
		KindValidationFailed, KindEvalCompleted,
		KindEvalFailed,
		KindVerdict, KindTurnCompleted, KindTrialCompleted, KindRunCompleted,
	}
}

// NoTurn is the turn of what concerns a whole conversation, or a whole run.
const NoTurn = -1

// At is when and where something happened.
type At struct {
	// Time of a trial that a simulated provider answers is that of the run's start and what was simulated since the
	// trial's own, so that it is the same in every run.
	Time     time.Time
	Trial    string // id; "" for what concerns the run
	Scenario string
	Provider string // that is tested, also where a judge is asked
	Turn     int    // index from 0, or NoTurn
	Step     string // of a composition; "" for what concerns none
}

// Place implements Event.
func (a At) Place() At { return a }
