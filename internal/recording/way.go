package recording

import (
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/workflow"
)

// InWorkflow reports whether the conversation has states of a workflow in its messages, or a transition.
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

// States are the workflow states that occur in the conversation. They may repeat.
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

// transitions visits the transitions that the calls of the conversation made, until visit returns false. Of several in
// one message only the last one counts.
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

// stepCalls are the calls of the composition steps that made a reply.
func (m *Message) stepCalls() []result.ToolCall {
	if m.Steps == nil {
		return nil
	}
	return m.Steps.Calls
}

// Composed returns an error if a composition made a reply. Replies of a model cannot repeat such a conversation.
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

// startOf is the workflow state in the first messages that can name one; "" when they do not.
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
