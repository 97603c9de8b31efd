package workflow

import "encoding/json"

// Scheduled is the answer of the transition tool: the transition that will be made. In finished conversations it shows
// which transitions were made.
type Scheduled struct {
	Status     string `json:"status"`
	Event      string `json:"event"`
	Target     string `json:"target_state"`
	Redirected string `json:"redirected_from,omitempty"`
	Original   string `json:"original_target,omitempty"` // the same, as others write it
}

const scheduled = "transition_scheduled"

// Answer is the answer to a transition that was asked for and that will be made.
func (t *Transition) Answer() Scheduled {
	return Scheduled{Status: scheduled, Event: t.Event, Target: t.To, Redirected: t.Redirected}
}

// ReadAnswer reads what the transition tool answered. ok is false when no transition was made.
func ReadAnswer(text string) (s Scheduled, ok bool) {
	if json.Unmarshal([]byte(text), &s) != nil || s.Status != scheduled || s.Target == "" {
		return s, false
	}
	if s.Redirected == "" {
		s.Redirected = s.Original
	}
	return s, true
}
