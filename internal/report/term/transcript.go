package term

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// transcript is all messages of the model and of the judges: for -v each is cut, for -vv none is.
func (p *Printer) transcript(t *result.Trial) []*row {
	var rows []*row
	say := func(who, text string) { rows = append(rows, p.speech(who, text)...) }
	if t.System != "" {
		say("system", show.Clean(t.System))
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		if turn.NotRun != "" {
			say("", show.TurnLabel(turn.Index)+" not run: "+show.Line(turn.NotRun))
			continue
		}
		turnLines(turn, say)
		checkLines(turn.Assertions, say)
		judgingLines(turn.Assertions, p.opts.Verbosity, say)
	}
	checkLines(t.Conversation, say)
	judgingLines(t.Conversation, p.opts.Verbosity, say)
	for i := range t.Evals {
		say("eval", evalLine(&t.Evals[i]))
	}
	return append(rows, &row{})
}

// speech is a text beside the name of its author, wrapped; with -v at most three lines, with -vv all.
func (p *Printer) speech(who, text string) (rows []*row) {
	const indent = 4 + 9 + gap
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
	return rows
}

// turnLines are the messages of a turn, the steps of its composition before the first reply, and how it ended.
func turnLines(turn *result.Turn, say func(who, text string)) {
	first := slices.IndexFunc(turn.Messages, func(m chat.Message) bool { return m.Role == chat.Assistant })
	for i := range turn.Messages {
		if i == first && turn.Composition != nil {
			stepLines(turn.Composition, say)
		}
		messageLines(&turn.Messages[i], say)
	}
	if first < 0 && turn.Composition != nil {
		stepLines(turn.Composition, say)
	}
	if turn.Error != "" {
		say("error", show.Line(turn.Error))
	}
	if turn.Ended != "" {
		say("ended", show.Ended(turn))
	}
}

// messageLines are a message, and before it what was left out of the request and the state that was entered.
func messageLines(m *chat.Message, say func(who, text string)) {
	if m.LeftOut != nil {
		say("sent", show.LeftOut(m.LeftOut))
	}
	if m.Role == chat.System && m.State != "" {
		say("state", show.Line(m.State))
		if m.Content == "" { // steps speak in it, under prompts of their own
			return
		}
	}
	text := show.MessageText(m)
	if m.Generated != nil {
		text = "[persona " + show.Line(m.Generated.Persona) + "] " + text
	}
	say(show.Line(string(m.Role)), text)
}

// checkLines are the verdicts of a turn, or of the conversation.
func checkLines(verdicts []result.Verdict, say func(who, text string)) {
	for i := range verdicts {
		say("check", verdictLine(&verdicts[i]))
	}
}

// verdictLine is a verdict with its score, what its author wrote about it, and what it saw.
func verdictLine(v *result.Verdict) string {
	seen := ""
	switch {
	case v.Status == result.Skipped:
		seen = "skipped: " + show.Line(v.SkipReason)
	case v.Status != result.Passed || v.Explanation != "":
		seen = show.Problem{Verdict: v}.Seen()
	}
	mark, _ := sign(v.Status)
	return mark + " " + scoreLine(v.Name(), v.Score, v.Message, seen)
}

// evalLine is the result of an eval; without a threshold it has no verdict.
func evalLine(e *result.EvalResult) string {
	if e.Gates() {
		return verdictLine(show.EvalVerdict(e))
	}
	seen := cmp.Or(show.Line(e.Error), show.Line(e.Explanation))
	if e.Skipped {
		seen = "skipped: " + show.Line(e.SkipReason)
	}
	return scoreLine(e.ID, e.Score, e.Message, seen)
}

func scoreLine(name string, score *float64, message, seen string) string {
	text := show.Line(name)
	if score != nil {
		text += " " + show.Score(*score)
	}
	if message = show.Line(message); message != "" && message != seen {
		text += "   " + message
	}
	if seen != "" {
		text += "   " + seen
	}
	return text
}

// agentStep is the kind of the steps whose model calls tools.
const agentStep = "agent"

// stepLines are the results of the steps of a composition.
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
		for k := range step.Failed {
			failed := &step.Failed[k]
			words := fmt.Sprintf("%s (%s) attempt %d does not count: %s", show.Line(step.ID), show.Line(step.Kind), k+1,
				show.Line(failed.Error))
			if step.Within != "" {
				words = "· " + words
			}
			say("step", words)
			for i := range failed.Messages {
				if m := &failed.Messages[i]; m.Role == chat.Assistant || m.ToolResult != nil {
					say(show.Line(string(m.Role)), show.MessageText(m))
				}
			}
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
