package otlp

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/arena-evals/arena/internal/result"
)

// stepStarted starts the span of a step of a composition, within the span of its turn or of the parallel step.
func (t *trace) stepStarted(c *trial, e *result.StepStarted) {
	within := c.parent("")
	if s := c.steps[e.Within]; s != nil {
		within = s
	}
	place := "step/" + strconv.Itoa(e.Turn) + "/" + e.Step
	s := within.child("step "+e.Step, e.Trial, place, internal, e.Time)
	s.text("gen_ai.conversation.id", e.Trial)
	s.text("arena.step", e.Step)
	s.text("arena.step.kind", e.Name)
	s.text("arena.step.within", e.Within)
	s.text("arena.step.prompt_task", e.Prompt)
	s.text("gen_ai.tool.name", e.Tool)
	if c.steps == nil {
		c.steps = map[string]*span{}
	}
	c.steps[e.Step] = s
}

func (t *trace) stepCompleted(c *trial, e *result.StepCompleted) {
	s := c.steps[e.Step]
	if s == nil {
		return
	}
	delete(c.steps, e.Step)
	s.setInt("arena.step.attempts", int64(e.Attempts))
	s.text("arena.step.target", e.Target)
	s.text("arena.step.status", e.Status)
	s.number("arena.cost_usd", e.CostUSD)
	if e.Usage != nil {
		s.setInt("gen_ai.usage.input_tokens", int64(e.Usage.Input))
		s.setInt("gen_ai.usage.output_tokens", int64(e.Usage.Output))
	}
	if t.content && e.Output != "" {
		s.text("arena.step.output", e.Output)
	}
	if e.Error != "" {
		c.broken = c.broken || e.Name == "tool"
		s.fail("error", t.failure(c, e.Error))
	}
	s.end(e.Time)
	t.emit(s)
}

// failure returns the text of an error. The error of a failed tool step may quote the tool, so it is content.
func (t *trace) failure(c *trial, text string) string {
	if c.broken && !t.content {
		return "a step of a composition failed"
	}
	return text
}

// endSteps ends the steps that were running when the conversation ended.
func (t *trace) endSteps(c *trial, at time.Time) {
	for _, id := range slices.Sorted(maps.Keys(c.steps)) {
		s := c.steps[id]
		delete(c.steps, id)
		s.fail("cancelled", "the conversation ended before")
		s.end(at)
		t.emit(s)
	}
}
