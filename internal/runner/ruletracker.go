package runner

import (
	"fmt"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// injectedKey is under which name the metadata of a result has the mode of the failure that was injected into the call.
const injectedKey = "injected"

// turnRule is what a turn of a scenario says about the calls of a tool: that they fail, or what the user answers.
type turnRule struct {
	turn turnPlace
	tool string
	mode string // of a failure; "": it is about consent
}

// turnPlace is a turn of a scenario, which stands at a position.
type turnPlace struct {
	scenario diag.Pos
	index    int
}

type awaitedRule struct {
	turnRule
	pos         diag.Pos
	probability float64
}

// awaitRules adds what the turns of a scenario say about calls, which the model may not make.
func (h *nameTracker) awaitRules(s *scenario.Scenario) {
	for i := range s.Turns {
		turn := turnPlace{s.Pos, i}
		for _, f := range s.Turns[i].Chaos {
			h.rules = append(h.rules, awaitedRule{turnRule{turn, f.Tool, f.Mode}, f.Pos, f.Probability})
		}
		for _, c := range s.Turns[i].Consent {
			h.rules = append(h.rules, awaitedRule{turnRule: turnRule{turn, c.Tool, ""}, pos: c.Pos})
		}
	}
}

// observeRules notes which rules counted in a turn.
func (h *nameTracker) observeRules(t *result.Trial, turn *result.Turn) {
	at := turnPlace{t.Position, turn.Script()}
	h.turnsRun[at] = h.turnsRun[at] || turn.NotRun == "" && turn.Error == ""
	for i := range turn.Messages {
		res := turn.Messages[i].ToolResult
		if res == nil {
			continue
		}
		if mode, ok := res.Metadata[injectedKey].(string); ok {
			h.rulesUsed[turnRule{at, res.Name, mode}] = true
		}
		if _, ok := res.Metadata[consentKey]; ok {
			h.rulesUsed[turnRule{at, res.Name, ""}] = true
		}
	}
}

// idleRules returns warnings about rules that counted in no trial although their turn was run.
func (h *nameTracker) idleRules() (list []diag.Diagnostic) {
	for i := range h.rules {
		r := &h.rules[i]
		if !h.turnsRun[r.turn] || h.rulesUsed[r.turnRule] {
			continue
		}
		what := fmt.Sprintf("consent_overrides: no trial called %s in this turn, so nobody was asked", r.tool)
		if r.mode != "" {
			what = fmt.Sprintf("chaos: no call of %s failed this way (%s) in any trial: "+
				"how the agent takes it was not tested", r.tool, r.mode)
			if r.probability > 0 && r.probability < 1 {
				what += fmt.Sprintf("; its probability is %g", r.probability)
			}
		}
		list = append(list, diag.Diagnostic{
			Severity: diag.Warning, Pos: r.pos, Width: utf8.RuneCountInString(r.tool), Code: "never-fired", Msg: what,
		})
	}
	return list
}
