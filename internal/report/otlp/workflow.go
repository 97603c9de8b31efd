package otlp

import "github.com/arena-evals/arena/internal/result"

// stateChanged adds a transition of the workflow to the span of its turn.
func (c *trial) stateChanged(e *result.StateChanged) {
	on := c.span
	if c.turn != nil {
		on = c.turn
	}
	event := spanEvent{Time: nanos(e.Time), Name: "arena.workflow.transition"}
	for _, a := range [][2]string{
		{"arena.workflow.from", e.From}, {"arena.workflow.to", e.To}, {"arena.workflow.event", e.Event},
		{"arena.workflow.redirected_from", e.Redirected},
	} {
		if a[1] != "" {
			event.Attributes = text(event.Attributes, a[0], a[1])
		}
	}
	on.Events = append(on.Events, event)
}
