package checks

import (
	"errors"

	"github.com/arena-evals/arena/internal/say"
)

// Workflow is the state of a workflow.
type Workflow struct {
	Current     string // state; "": not known
	Complete    bool   // the current state is a terminal one
	Transitions []Transition
}

// Transition is a transition that was made.
type Transition struct {
	From, To, Event string
	Turn            int // index of the turn, from 0; -1: not known
}

// Composition holds the outputs of a composition's steps by id, for the turn, or for the last turn in which a
// composition ran.
type Composition struct {
	None      bool              // the project has compositions, but none ran
	Output    *string           // output of the composition, as text; nil: not known
	Outputs   map[string]string // step → text
	Branches  map[string]string // branch → the direction taken
	Parallels map[string]string // parallel step → complete, partial, …
	Turn      int               // index of the turn, from 0
	Earlier   []Composition     // at the end of the conversation: the compositions of earlier turns, in order
}

var (
	errNoWorkflow    = errors.New("there is no workflow to look at")
	errNoComposition = errors.New("there is no composition to look at")
)

// targets returns the states that transitions led to, in order. It does not include the initial state.
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
