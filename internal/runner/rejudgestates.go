package runner

import (
	"fmt"

	"github.com/arena-evals/arena/internal/result"
)

// matchesStates returns an error if the workflow or the compositions have changed since the run: today's checks would
// pass or fail only because of states and steps that the conversation could not have.
func (s *session) matchesStates(was *result.Trial) error {
	if w := s.trial.Project.Workflow; w != nil && w.Graph != nil {
		err := (&flow{graph: w.Graph}).checkStates("the workflow has changed since the run: it was in", namedStates(was))
		if err != nil {
			return err
		}
	}
	for i := range was.Turns {
		if err := s.matchesSteps(was.Turns[i].Composition); err != nil {
			return fmt.Errorf("the compositions have changed since the run: turn %d %w", i+1, err)
		}
	}
	return nil
}

// namedStates are the states that a trial names.
func namedStates(t *result.Trial) (states []string) {
	if w := t.Workflow; w != nil {
		states = append(states, w.Start, w.State)
		for _, step := range w.Transitions {
			states = append(states, step.From, step.To)
		}
	}
	for i := range t.Turns {
		for k := range t.Turns[i].Messages {
			states = append(states, t.Turns[i].Messages[k].State)
		}
	}
	return states
}

// matchesSteps compares the steps of a turn with those of the files. A run with failed steps does not have all of them.
func (s *session) matchesSteps(was *result.Composition) error {
	if was == nil || len(s.trial.Project.compositions) == 0 {
		return nil
	}
	c := s.trial.Project.compositions[was.Name]
	if c == nil {
		return fmt.Errorf("was answered by %q, which does not exist any more", was.Name)
	}
	for i := range was.Steps {
		step := &was.Steps[i]
		if now := c.Step(step.ID); now == nil || string(now.Kind) != step.Kind {
			return fmt.Errorf("ran the %s step %q of %s, which does not exist any more", step.Kind, step.ID, was.Name)
		}
	}
	if was.Error != "" {
		return nil
	}
	for now := range c.All() {
		if was.Step(now.ID) == nil {
			return fmt.Errorf("did not have the step %q of %s", now.ID, was.Name)
		}
	}
	return nil
}
