package events

import (
	"reflect"

	"github.com/arena-evals/arena/internal/result"
)

// Scope says which parts of the envelope every event of a kind has.
type Scope uint8

// The scopes.
const (
	OfRun   Scope = iota // neither trial nor turn
	OfTrial              // the trial; the turn, where the event belongs to one
	OfTurn               // the trial and the turn
)

// Kind is a kind of events.
type Kind struct {
	Name  result.EventKind
	About string
	Scope Scope
	data  reflect.Type
}

// Fields are the members of the data of an event of the kind.
func (k *Kind) Fields() []Field { return fieldsOf(k.data) }

// EnvelopeFields are the members of every line.
func EnvelopeFields() []Field { return fieldsOf(reflect.TypeFor[Envelope]()) }

// Catalogue lists all kinds, in the order in which they come in a run.
func Catalogue() []Kind {
	return []Kind{
		kind[result.RunStarted](result.KindRunStarted, OfRun, "The first line."),
		kind[result.TrialStarted](result.KindTrialStarted, OfTrial, "A worker took up a trial."),
		kind[result.TurnStarted](result.KindTurnStarted, OfTurn, "The user is about to speak."),
		kind[result.MessageCreated](result.KindMessageCreated, OfTrial,
			"A message of the transcript, as the conversation goes on with it. What a guardrail took away is not in it."),
		kind[result.CallStarted](result.KindCallStarted, OfTrial,
			"A model is called: the agent's, or that of a judge. Attempts that are repeated are one call."),
		kind[result.CallCompleted](result.KindCallCompleted, OfTrial, "The model has answered."),
		kind[result.CallFailed](result.KindCallFailed, OfTrial, "The model did not answer, or in a way that cannot be read."),
		kind[result.ToolStarted](result.KindToolStarted, OfTrial, "A tool is about to be called."),
		kind[result.ToolCompleted](result.KindToolCompleted, OfTrial,
			"What came of the call, also of one that was refused. A call that the end of a conversation cut short has none."),
		kind[result.StateChanged](result.KindStateChanged, OfTurn,
			"The workflow has moved on: what is said next is said in another state."),
		kind[result.StepStarted](result.KindStepStarted, OfTurn, "A step of a composition begins."),
		kind[result.StepCompleted](result.KindStepCompleted, OfTurn,
			"What came of the step. What happened in parallel steps is told one step after the other."),
		kind[result.ValidationFailed](result.KindValidationFailed, OfTurn,
			"A guardrail fired on a message, or could not judge it."),
		kind[result.EvalCompleted](result.KindEvalCompleted, OfTrial, "What an eval measured, or that it was skipped."),
		kind[result.EvalFailed](result.KindEvalFailed, OfTrial, "An eval could not judge."),
		kind[result.VerdictGiven](result.KindVerdict, OfTrial,
			"The decision on an assertion, also on one that was never evaluated. Without a turn it is one of the conversation."),
		kind[result.TurnCompleted](result.KindTurnCompleted, OfTurn, "A turn is over, its evals and assertions included."),
		kind[result.Outcome](result.KindTrialCompleted, OfTrial,
			"A trial has ended, and is on disk. One that the end of the run kept from starting has only this event."),
		kind[result.GroupCompleted](result.KindGroupCompleted, OfRun,
			"What the trials of a scenario with a provider show together, where they could end early: one line for each, "+
				"with scenario and provider, after the last trial."),
		kind[result.RunCompleted](result.KindRunCompleted, OfRun,
			"The last line. Where it is missing, the run was killed, or could not write on."),
	}
}

func kind[T any](name result.EventKind, scope Scope, about string) Kind {
	return Kind{Name: name, About: about, Scope: scope, data: reflect.TypeFor[T]()}
}
