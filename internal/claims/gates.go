package claims

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/scenario"
)

// expectedGate is an eval with a threshold. Its prompt is nil when it is of the whole project.
type expectedGate struct {
	*evals.Eval
	prompt *scenario.Prompt
	twice  bool // another one has its id
}

// measuredEval is an eval that has a result, or was skipped. It is noted with its position and without.
type measuredEval struct {
	id  string
	pos diag.Pos
}

// ExpectGates expects that each eval with a threshold judges something.
func (t *Tracker) ExpectGates(p *scenario.Project, set evals.Set) {
	for _, e := range set {
		if !e.Gates() {
			continue
		}
		g := expectedGate{Eval: e}
		for _, prompt := range p.Prompts {
			if slices.Contains(prompt.Evals, e.Definition) {
				g.prompt = prompt
			}
		}
		for i := range t.gates {
			if t.gates[i].ID == e.ID {
				g.twice, t.gates[i].twice = true, true
			}
		}
		t.gates = append(t.gates, g)
	}
}

// claimGates claims that every threshold was tested.
func (t *Tracker) claimGates(claim Maker) {
	for _, g := range t.gates {
		key := measuredEval{id: g.ID}
		if g.twice {
			key.pos = g.Pos
		}
		sampled := g.SamplePct < 100 &&
			(g.Trigger == scenario.TriggerSampleTurns || g.Trigger == scenario.TriggerSampleSessions)
		why, evidence := g.unsaid(t.hasMoved), 0
		if t.hasMoved {
			evidence = 1
		}
		if reason, skipped := t.skippedEvals[key]; skipped {
			why, evidence = "it was skipped in every trial ("+reason+")", evidence+1
		}
		if sampled {
			why = fmt.Sprintf("its sample (%g%%) drew nothing in this run", g.SamplePct)
		}
		met := t.measuredEvals[key] || t.hasErrors && !sampled
		claim("eval", g.Pos, g.ID).Settle(met, t.hasTurns, diag.Diagnostic{
			Severity: diag.Warning, Pos: g.Pos, Width: utf8.RuneCountInString(g.Type), Code: "never-fired",
			Msg: fmt.Sprintf("eval %q has a threshold, and %s: the threshold was not tested", g.ID, why),
		}).Evidence = evidence
	}
}

// unsaid says why an eval judged nothing in conversations without errors.
func (g *expectedGate) unsaid(moved bool) string {
	steps := g.Trigger == scenario.TriggerWorkflowStep
	switch {
	case steps && !moved:
		return "no workflow moved on in this run"
	case g.prompt == nil:
		return "it judged nothing in this run"
	case steps:
		return fmt.Sprintf("no workflow moved to a state of its prompt %q in this run", g.prompt.TaskType)
	}
	return fmt.Sprintf("no reply came from its prompt %q in this run", g.prompt.TaskType)
}
