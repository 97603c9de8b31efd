package term

import (
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// transcript is all messages of the model and of the judges: for -v each is cut, for -vv none is.
func (p *Printer) transcript(t *result.Trial) []*row {
	const indent = 4 + 9 + gap
	var rows []*row
	say := func(who, text string) {
		limit := 3
		if p.opts.Verbosity > 1 {
			limit = 0
		}
		for i, line := range show.Wrap(text, p.width()-indent, limit) {
			r := &row{}
			if i == 0 {
				r.gap(4).right(dim, show.Cut(who, 9), 9).gap(gap)
			} else {
				r.gap(indent)
			}
			rows = append(rows, r.add(plain, line))
		}
	}
	if t.System != "" {
		say("system", show.Clean(t.System))
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		if turn.NotRun != "" {
			say("", show.TurnLabel(turn.Index)+" not run: "+show.Line(turn.NotRun))
			continue
		}
		told := false
		steps := func() { // they stand before the reply that they gave
			if !told && turn.Composition != nil {
				stepLines(turn.Composition, say)
			}
			told = true
		}
		for k := range turn.Messages {
			m := &turn.Messages[k]
			if m.Role == chat.Assistant {
				steps()
			}
			if m.Role == chat.System && m.State != "" {
				say("state", show.Line(m.State))
				if m.Content == "" { // steps speak in it, under prompts of their own
					continue
				}
			}
			say(show.Line(string(m.Role)), show.MessageText(m))
		}
		steps()
		if turn.Error != "" {
			say("error", show.Line(turn.Error))
		}
		judgingLines(turn.Assertions, p.opts.Verbosity, say)
	}
	judgingLines(t.Conversation, p.opts.Verbosity, say)
	return append(rows, &row{})
}

// agentStep is the kind of the steps whose model calls tools.
const agentStep = "agent"

// stepLines are what came of the steps of a composition.
func stepLines(c *result.Composition, say func(who, text string)) {
	for i := range c.Steps {
		step := &c.Steps[i]
		text := show.Line(step.ID) + " (" + show.Line(step.Kind) + ")"
		if step.Within != "" {
			text = "· " + text
		}
		switch {
		case step.Skipped:
			text += " skipped"
		case step.Error != "":
			text += " error: " + show.Line(step.Error)
		case step.Target != "":
			text += " went to " + show.Line(step.Target)
		case step.Status != "":
			text += " " + show.Line(step.Status)
		case step.Output != nil:
			text += ": " + show.Line(show.Value(step.Output))
		}
		if step.Attempts > 1 {
			text += fmt.Sprintf(" (attempt %d)", step.Attempts)
		}
		say("step", text)
		for k := range step.Messages {
			m := &step.Messages[k]
			if step.Kind == agentStep && (len(m.ToolCalls) > 0 || m.ToolResult != nil) {
				say(show.Line(string(m.Role)), show.MessageText(m))
			}
		}
	}
}
