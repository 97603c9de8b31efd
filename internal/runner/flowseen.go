package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/workflow"
)

// expectFlow prepares to recognise transitions in a finished conversation with a workflow. start is its first state;
// "": not known.
func (s *session) expectFlow(start string) {
	s.flow = &flow{start: start, current: start}
	if w := s.trial.Project.Workflow; w != nil {
		s.flow.graph = w.Graph
	}
}

// expectRecordedFlow is expectFlow for a recording. The recording decides whether there was a workflow: without states
// and transitions there was none, whatever the project has now. It returns an error if the recording does not match the
// workflow.
func (s *session) expectRecordedFlow(rec *recording.Session) error {
	for i := range rec.Messages {
		if steps := rec.Messages[i].Steps; steps != nil {
			if err := s.matchesSteps(steps.Composition); err != nil {
				return fmt.Errorf("the recording does not fit the compositions: it %w", err)
			}
		}
	}
	first, moved := rec.FirstTransition()
	if !moved && rec.Start == "" && rec.Workflow == nil {
		return nil
	}
	start := rec.Start
	if start == "" && rec.Workflow != nil {
		start = rec.Workflow.Start
	}
	s.expectFlow(start)
	f := s.flow
	if f.graph == nil {
		return nil
	}
	if f.start == "" && moved {
		f.start = startFor(f.graph, s.trial.Scenario.TaskType, first)
		f.current = f.start
	}
	if err := f.checkStates("the recording names", rec.States()); err != nil {
		return err
	}
	if f.start != "" || rec.Workflow != nil || s.trial.Recorded.File == "" {
		return nil
	}
	if lost := inventory.LostWithoutPrompt(s.trial.Project.Project); lost != "" {
		return fmt.Errorf("the recording does not say in which state of the workflow it starts: %s", lost)
	}
	return nil
}

// startFor is the state from which the first transition starts: the state of the task type if it matches, or else the
// only match; "": none or several.
func startFor(g *workflow.Graph, task string, first workflow.Scheduled) string {
	leads := func(state *workflow.State) bool {
		to := state.Events[first.Event]
		return to != "" && (to == first.Target || to == first.Redirected)
	}
	if state, err := g.StartFor(task); err == nil && leads(state) {
		return state.Name
	}
	found := slices.DeleteFunc(slices.Clone(g.States()), func(state *workflow.State) bool { return !leads(state) })
	if len(found) != 1 {
		return ""
	}
	return found[0].Name
}

// checkStates returns an error if a conversation names a state that the workflow does not have: then checks of states
// would be meaningless.
func (f *flow) checkStates(who string, states []string) error {
	if f == nil || f.graph == nil {
		return nil
	}
	for _, name := range states {
		if name == "" || f.graph.State(name) != nil {
			continue
		}
		var known []string
		for _, state := range f.graph.States() {
			known = append(known, state.Name)
		}
		return fmt.Errorf("%s the state %q, which the workflow does not have; it has %s", who, name,
			strings.Join(known, ", "))
	}
	return nil
}

// adoptPath takes over the path through the workflow that a recording or a finished trial reports.
func (s *session) adoptPath(w *result.Workflow, mine []string) {
	if w == nil || s.trial.Recorded.At == (Moment{}) { // only the whole conversation has the order within each turn
		return
	}
	if s.flow == nil {
		s.flow = &flow{}
	}
	s.flow.start, s.flow.current, s.flow.steps, s.flow.reported = w.Start, w.State, w.Transitions, w
	s.flow.ownStates = mine
}

// withState notes the state in which a message of a finished conversation was written.
func (s *session) withState(m chat.Message) chat.Message {
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
		s.noteSpeakerIn(m.State)
	}
	return m
}

// recognise takes the transition from the tool calls of a message: the last one that succeeded.
func (s *session) recognise(calls []checks.Call) {
	var made *result.Transition
	for i := range calls {
		call := &calls[i]
		if s.flow != nil {
			s.flow.keepText(call)
		}
		text, _ := call.Result.(string)
		answer, ok := workflow.ReadAnswer(text)
		if call.Name != workflow.TransitionTool || call.Error != "" || !ok {
			continue
		}
		made = &result.Transition{To: answer.Target, Event: answer.Event, Turn: call.Turn, Redirected: answer.Redirected}
	}
	if made == nil || s.flow != nil && s.flow.reported != nil {
		return
	}
	if s.flow == nil {
		s.flow = &flow{}
	}
	made.From = s.flow.current
	s.flow.step(*made)
	s.emit.transition(made)
}
