package runner

import (
	"fmt"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// turnRule is what a turn of a scenario says about the calls of a tool: that they fail, or what the user answers.
type turnRule struct {
	turn turnPlace
	tool string // of a rule about consent
	rule string // the number of a failure among those of the turn; "": it is about consent
}

// turnPlace is a turn of a scenario, which stands at a position.
type turnPlace struct {
	scenario diag.Pos
	index    int
}

type awaitedRule struct {
	turnRule
	pos     diag.Pos
	failure *scenario.ToolFailure // nil: it is about consent
}

// awaitRules adds what the turns of a scenario say about calls, which the model may not make.
func (h *nameTracker) awaitRules(s *scenario.Scenario) {
	for i := range s.Turns {
		turn := turnPlace{s.Pos, i}
		for j := range s.Turns[i].Chaos {
			f := &s.Turns[i].Chaos[j]
			h.rules = append(h.rules, awaitedRule{turnRule{turn: turn, rule: fmt.Sprint(j + 1)}, f.Pos, f})
		}
		for _, c := range s.Turns[i].Consent {
			h.rules = append(h.rules, awaitedRule{turnRule: turnRule{turn: turn, tool: c.Tool}, pos: c.Pos})
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
		if number, ok := res.Metadata[ruleKey]; ok {
			h.rulesUsed[turnRule{turn: at, rule: fmt.Sprint(number)}] = true
		}
		if _, ok := res.Metadata[consentKey]; ok {
			h.rulesUsed[turnRule{turn: at, tool: res.Name}] = true
		}
	}
}

// claimRules claims that every rule whose turn was run counted in a trial.
func (h *nameTracker) claimRules(claim claimer) {
	for i := range h.rules {
		r := &h.rules[i]
		tool, what := r.tool, fmt.Sprintf("consent_overrides: no trial called %s in this turn, so nobody was asked", r.tool)
		if f := r.failure; f != nil {
			tool, what = f.Tool, fmt.Sprintf("chaos: no call of %s failed this way (%s) in any trial: "+
				"how the agent takes it was not tested", f.Tool, f.Mode)
			if f.Probability > 0 && f.Probability < 1 {
				what += fmt.Sprintf("; its probability is %g", f.Probability)
			}
		}
		claim("rule", r.pos, r.rule+tool).settle(h.rulesUsed[r.turnRule], h.hasTurns && h.turnsRun[r.turn], diag.Diagnostic{
			Severity: diag.Warning, Pos: r.pos, Width: utf8.RuneCountInString(tool), Code: "never-fired", Msg: what,
		})
	}
}
