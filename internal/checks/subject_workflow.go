package checks

import (
	"errors"

	"github.com/arena-evals/arena/internal/say"
)

// Workflow is how far a workflow has come.
type Workflow struct {
	Current     string // state; "": not known
	Complete    bool   // the state is a terminal one
	Transitions []Transition
}

// Transition is a change of the state that was made.
type Transition struct {
	From, To, Event string
	Turn            int // index of the turn, from 0; -1: not known
}

// Composition is what the steps of a composition gave, by their ids: of the turn, or of the last turn in which one ran.
type Composition struct {
	None      bool              // compositions are there, and none ran
	Output    *string           // of the whole, as it was said; nil: not known
	Outputs   map[string]string // step → text
	Branches  map[string]string // branch → the way that was taken
	Parallels map[string]string // parallel step → complete, partial, …
}

var (
	errNoWorkflow    = errors.New("there is no workflow to look at")
	errNoComposition = errors.New("there is no composition to look at")
)

// targets are the states that were gone to, in order. The state in which a workflow starts is not one of them.
func (w *Workflow) targets() []string {
	states := make([]string, len(w.Transitions))
	for i := range w.Transitions {
		states[i] = w.Transitions[i].To
	}
	return states
}

// current names the current state for an explanation.
func (w *Workflow) current() string {
	if w.Current == "" {
		return "the current state is not known"
	}
	return "the current state is " + say.Named(w.Current)
}
