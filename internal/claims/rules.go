package claims

import (
	"fmt"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
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

type expectedRule struct {
	turnRule
	pos     diag.Pos
	failure *scenario.ToolFailure // nil: it is about consent
}

// ExpectRules expects that the rules apply which the turns of a scenario have for calls.
func (t *Tracker) ExpectRules(s *scenario.Scenario) {
	for i := range s.Turns {
		turn := turnPlace{s.Pos, i}
		for j := range s.Turns[i].More().Chaos {
			f := &s.Turns[i].Rare.Chaos[j]
			t.rules = append(t.rules, expectedRule{turnRule{turn: turn, rule: fmt.Sprint(j + 1)}, f.Pos, f})
		}
		for _, c := range s.Turns[i].More().Consent {
			t.rules = append(t.rules, expectedRule{turnRule: turnRule{turn: turn, tool: c.Tool}, pos: c.Pos})
		}
	}
}

// observeRules notes which rules counted in a turn.
func (t *Tracker) observeRules(trial *result.Trial, turn *result.Turn) {
	at := turnPlace{trial.Position, turn.Script()}
	t.turnsRun[at] = t.turnsRun[at] || turn.NotRun == "" && turn.Error == ""
	for i := range turn.Messages {
		res := turn.Messages[i].ToolResult
		if res == nil {
			continue
		}
		if number, ok := res.Metadata[tools.InjectedRuleKey]; ok {
			t.rulesUsed[turnRule{turn: at, rule: fmt.Sprint(number)}] = true
		}
		if _, ok := res.Metadata[tools.ConsentKey]; ok {
			t.rulesUsed[turnRule{turn: at, tool: res.Name}] = true
		}
	}
}

// claimRules claims that every rule whose turn was run counted in a trial.
func (t *Tracker) claimRules(claim Maker) {
	for i := range t.rules {
		r := &t.rules[i]
		tool, what := r.tool, fmt.Sprintf("consent_overrides: no trial called %s in this turn, so nobody was asked", r.tool)
		if f := r.failure; f != nil {
			tool, what = f.Tool, fmt.Sprintf("chaos: no call of %s failed this way (%s) in any trial: "+
				"how the agent takes it was not tested", f.Tool, f.Mode)
			if f.Probability > 0 && f.Probability < 1 {
				what += fmt.Sprintf("; its probability is %g", f.Probability)
			}
		}
		claim("rule", r.pos, r.rule+tool).Settle(t.rulesUsed[r.turnRule], t.hasTurns && t.turnsRun[r.turn], diag.Diagnostic{
			Severity: diag.Warning, Pos: r.pos, Width: utf8.RuneCountInString(tool), Code: "never-fired", Msg: what,
		})
	}
}
