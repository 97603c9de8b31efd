package runner

import (
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/result"
)

// concurrent returns an emitter for a step that runs concurrently with others, with its own clock. It keeps its events
// until join, so that the order is the same in every run.
func (t *emitter) concurrent(c *clock) *emitter {
	if t == nil {
		return nil
	}
	return &emitter{
		events: t.events, started: t.started, clock: c, trial: t.trial, id: t.id, turn: t.turn, buffering: true,
	}
}

// join sends the kept events of a step. Its calls get the next numbers of the trial.
func (t *emitter) join(o *emitter) {
	if t == nil {
		return
	}
	before := int(t.calls.Load())
	for _, e := range o.buffered {
		t.send(numberedFrom(e, before))
	}
	t.calls.Add(o.calls.Load())
}

// numberedFrom is an event whose call number is increased by before.
func numberedFrom(e result.Event, before int) result.Event {
	switch e := e.(type) {
	case result.CallStarted:
		e.Number += before
		return e
	case result.CallCompleted:
		e.Number += before
		return e
	case result.CallFailed:
		e.Number += before
		return e
	case result.ToolStarted:
		e.Number += before
		return e
	case result.ToolCompleted:
		e.Number += before
		return e
	}
	return e
}

// inStep marks the following events as those of a step; "": of no step.
func (t *emitter) inStep(id string) {
	if t != nil {
		t.step = id
	}
}

func (t *emitter) stepStarted(s, within *composition.Step) {
	if t == nil {
		return
	}
	e := result.StepStarted{At: t.at(), Name: string(s.Kind), Prompt: s.PromptTask, Tool: s.Tool}
	if e.Step = s.ID; within != nil {
		e.Within = within.ID
	}
	t.send(e)
}

func (t *emitter) stepCompleted(rec *composition.Record, step result.Step) {
	if t == nil {
		return
	}
	e := result.StepCompleted{
		At: t.at(), Name: step.Kind, Within: step.Within, Attempts: step.Attempts, Target: step.Target, Status: step.Status,
		Error: step.Error, CostUSD: step.CostUSD, LatencyMS: step.LatencyMS,
	}
	e.Step = step.ID
	if step.Output != nil {
		e.Output = composition.Text(step.Output)
	}
	if step.Usage != nil {
		tokens := result.TokensOf(*step.Usage)
		e.Usage = &tokens
	}
	t.send(e)
}
