package result

// Workflow is the path of a conversation through the states of a workflow.
type Workflow struct {
	Start       string              `json:"start,omitempty"` // state; "": not known
	State       string              `json:"state,omitempty"` // the last one; "": not known
	Complete    bool                `json:"complete"`        // the last state is terminal
	Transitions []Transition        `json:"transitions"`
	Refused     []RefusedTransition `json:"refused,omitempty"`
	Artifacts   map[string]string   `json:"artifacts,omitempty"` // at the end
}

// Transition is a step from one state to another.
type Transition struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Event string `json:"event,omitempty"`
	Turn  int    `json:"turn"` // index from 0
	// Redirected is the state that the event leads to, when it could not be entered again; To is the state that replaces
	// it.
	Redirected string `json:"redirected_from,omitempty"`
}

// RefusedTransition is a transition that the model asked for and that was not made.
type RefusedTransition struct {
	From   string `json:"from"`
	Event  string `json:"event"`
	Turn   int    `json:"turn"` // index from 0
	Reason string `json:"reason"`
}

// refusals is the number of refused transitions. w may be nil.
func (w *Workflow) refusals() int {
	if w == nil {
		return 0
	}
	return len(w.Refused)
}
