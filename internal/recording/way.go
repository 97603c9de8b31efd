package recording

import (
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/workflow"
)

// InWorkflow reports whether the conversation tells of a workflow: by the states of its messages, or by a transition.
func (s *Session) InWorkflow() bool {
	_, moved := s.FirstTransition()
	return moved || s.Start != ""
}

// FirstTransition returns the first transition of the conversation; ok is false when it makes none.
func (s *Session) FirstTransition() (first workflow.Scheduled, ok bool) {
	s.transitions(func(t workflow.Scheduled) bool {
		first, ok = t, true
		return false
	})
	return first, ok
}

// States are the states of a workflow that the conversation speaks of. Some may be there several times.
func (s *Session) States() (states []string) {
	if s.Start != "" {
		states = append(states, s.Start)
	}
	for i := range s.Messages {
		if state := s.Messages[i].State; state != "" {
			states = append(states, state)
		}
	}
	s.transitions(func(t workflow.Scheduled) bool {
		states = append(states, t.Target)
		return true
	})
	if w := s.Workflow; w != nil {
		states = append(states, w.Start, w.State)
		for _, t := range w.Transitions {
			states = append(states, t.From, t.To)
		}
	}
	return states
}

// transitions visits the transitions that the calls of the conversation made, until visit returns false: of several in
// one message the last one counts.
func (s *Session) transitions(visit func(workflow.Scheduled) bool) {
	for i := range s.Messages {
		m := &s.Messages[i]
		made := workflow.Scheduled{}
		found := false
		results := map[int]*chat.ToolResult(nil)
		for n, call := range m.ToolCalls {
			if call.Name != workflow.TransitionTool {
				continue
			}
			if results == nil {
				results = Results(s.Messages, i)
			}
			if r := results[n]; r != nil && r.Error == "" {
				if t, ok := workflow.ReadAnswer(r.Text()); ok {
					made, found = t, true
				}
			}
		}
		for _, call := range m.stepCalls() {
			if t, ok := workflow.ReadAnswer(call.Result); ok && call.Error == "" && call.Name == workflow.TransitionTool {
				made, found = t, true
			}
		}
		if found && !visit(made) {
			return
		}
	}
}

// stepCalls are the calls of the steps that gave a reply.
func (m *Message) stepCalls() []result.ToolCall {
	if m.Steps == nil {
		return nil
	}
	return m.Steps.Calls
}

// Composed returns an error when steps of a composition answered, and no model: whoever repeats the conversation with
// the replies of a model cannot repeat that.
func (s *Session) Composed() error {
	for n, turn := range Turns(s.Messages) {
		for i := range turn {
			if turn[i].Steps != nil {
				return fmt.Errorf("turn %d was answered by the steps of the composition %s, and not by a reply of a model: "+
					"it cannot be repeated from this", n+1, turn[i].Steps.Name)
			}
		}
	}
	return nil
}

// startOf is the state in which the first messages were written that could say one; "" when they do not.
func startOf(messages []Message) string {
	for i := range messages {
		switch m := &messages[i]; {
		case m.State != "":
			return m.State
		case m.Role == chat.Assistant:
			return ""
		}
	}
	return ""
}
