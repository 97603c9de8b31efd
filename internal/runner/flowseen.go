package runner

import (
	"encoding/json"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/workflow"
)

// expectFlow gets ready to recognise transitions in a conversation that is over. start is its first state; "": not
// known.
func (s *session) expectFlow(start, task string) {
	w := s.trial.Project.Workflow
	if w == nil || w.Graph == nil {
		if start != "" {
			s.flow = &flow{start: start, current: start}
		}
		return
	}
	s.flow = &flow{graph: w.Graph}
	if start == "" {
		if state, err := w.Graph.StartFor(task); err == nil {
			start = state.Name
		}
	}
	s.flow.start, s.flow.current = start, start
}

// tell takes over what whoever had the conversation says of its way through the workflow.
func (s *session) tell(w *result.Workflow, mine []string) {
	if w == nil || s.trial.Recorded.At == (Moment{}) { // of each turn in its order only the conversation tells
		return
	}
	if s.flow == nil {
		s.flow = &flow{}
	}
	s.flow.start, s.flow.current, s.flow.steps, s.flow.told = w.Start, w.State, w.Transitions, w
	s.flow.mine = mine
}

// stamp notes the state in which a message of a conversation that is over was written.
func (s *session) stamp(m chat.Message) chat.Message {
	switch {
	case m.Role != chat.Assistant:
	case m.State != "" && s.flow == nil:
		s.flow = &flow{start: m.State, current: m.State}
	case m.State != "" && s.flow.current == "":
		s.flow.start, s.flow.current = m.State, m.State
	case m.State == "":
		m.State = s.stateName()
	}
	if m.Role == chat.Assistant && s.flow != nil {
		s.spokenIn(m.State)
	}
	return m
}

// recognise takes the transitions out of the tool calls of one message: of several that succeeded the last one counts.
func (s *session) recognise(calls []checks.Call) {
	var made *result.Transition
	for i := range calls {
		call := &calls[i]
		var answer struct {
			scheduled
			Original string `json:"original_target"`
		}
		text, _ := call.Result.(string)
		if call.Name != workflow.TransitionTool || call.Error != "" || json.Unmarshal([]byte(text), &answer) != nil ||
			answer.Status != transitionScheduled || answer.Target == "" {
			continue
		}
		made = &result.Transition{To: answer.Target, Event: answer.Event, Turn: call.Turn, Redirected: answer.Redirected}
		if made.Redirected == "" {
			made.Redirected = answer.Original
		}
	}
	if made == nil || s.flow != nil && s.flow.told != nil {
		return
	}
	if s.flow == nil {
		s.flow = &flow{}
	}
	made.From = s.flow.current
	s.flow.step(*made)
	s.emit.transition(made)
}
