package otlp

import (
	"cmp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// evaluation is the result of a check, for the event gen_ai.evaluation.result.
type evaluation struct {
	surface     string // assertion, guardrail, eval
	name        string
	score       *float64
	label       string // a status, or ""
	explanation string
	broken      bool // the check could not judge
	pos         diag.Pos
	action      string // of a guardrail
}

func (t *trace) verdict(e *result.VerdictGiven) evaluation {
	return evaluation{
		surface: "assertion", name: cmp.Or(e.Check, e.Type), score: e.Score, label: e.Status.String(), pos: e.Position,
		explanation: t.explanation(e.Explanation, e.Error, e.SkipReason), broken: e.Status == result.Errored,
	}
}

func (t *trace) validation(e *result.ValidationFailed) evaluation {
	return evaluation{
		surface: "guardrail", name: e.Type, score: e.Score, label: e.Status.String(), pos: e.Position,
		explanation: t.explanation(e.Explanation, e.Error), broken: e.Status == result.Errored, action: string(e.Action),
	}
}

func (t *trace) eval(e *result.EvalCompleted) evaluation {
	out := evaluation{
		surface: "eval", name: e.ID, score: e.Score, pos: e.Position, explanation: t.explanation(e.Explanation, e.SkipReason),
	}
	switch {
	case e.Skipped:
		out.label = result.Skipped.String()
	case e.Status != result.Unset:
		out.label = e.Status.String()
	}
	return out
}

func (t *trace) brokenEval(e *result.EvalFailed) evaluation {
	return evaluation{
		surface: "eval", name: e.ID, label: result.Errored.String(), pos: e.Position, explanation: t.explanation(e.Error),
		broken: true,
	}
}

// explanation returns the first text that is not empty. Explanations may quote messages, so they are sent only together
// with contents.
func (t *trace) explanation(texts ...string) string {
	if !t.content {
		return ""
	}
	return cmp.Or(texts...)
}

// evaluated adds the result of a check to the span of its turn, or of the trial.
func (c *trial) evaluated(at result.At, v evaluation) {
	e := spanEvent{Time: nanos(at.Time), Name: "gen_ai.evaluation.result"}
	add := func(key, v string) { e.Attributes = text(e.Attributes, key, v) }
	add("gen_ai.evaluation.name", v.name)
	e.Attributes = number(e.Attributes, "gen_ai.evaluation.score.value", v.score)
	add("gen_ai.evaluation.score.label", v.label)
	add("gen_ai.evaluation.explanation", v.explanation)
	add("arena.surface", v.surface)
	add("arena.guardrail.action", v.action)
	add("arena.position", v.pos.String())
	if v.broken {
		add("error.type", "error")
	}
	on := c.span
	if at.Turn != result.NoTurn && c.turn != nil {
		on = c.turn
	}
	on.Events = append(on.Events, e)
}
