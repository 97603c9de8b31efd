package claims

import (
	"fmt"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// turnRule is a rule of a turn for the calls of a tool: that they fail, or the user's consent.
type turnRule struct {
	turn turnPlace
	tool string // of a rule about consent
	rule string // the number of a failure among those of the turn; "": it is about consent
}

// turnPlace is a turn of a scenario with its position.
type turnPlace struct {
	scenario diag.Pos
	index    int
}

type expectedRule struct {
	turnRule
	pos       diag.Pos
	failure   *scenario.ToolFailure // nil: it is about consent
	providers []string
}

// usedRule is a rule that applied in a trial of a provider, and runTurn a turn that was run in one; "": in any.
type (
	usedRule struct {
		turnRule
		provider string
	}
	runTurn struct {
		turnPlace
		provider string
	}
)

// ExpectRules expects that the rules apply which the turns of a scenario have for calls, with each of the providers.
func (t *Tracker) ExpectRules(s *scenario.Scenario, specs []*scenario.Provider) {
	ids := idsOf(specs)
	for i := range s.Turns {
		turn := turnPlace{s.Pos, i}
		for j := range s.Turns[i].More().Chaos {
			f := &s.Turns[i].Rare.Chaos[j]
			t.rules = append(t.rules, expectedRule{turnRule{turn: turn, rule: fmt.Sprint(j + 1)}, f.Pos, f, ids})
		}
		for _, c := range s.Turns[i].More().Consent {
			t.rules = append(t.rules, expectedRule{turnRule{turn: turn, tool: c.Tool}, c.Pos, nil, ids})
		}
	}
}

// observeRules notes which rules counted in a turn.
func (t *Tracker) observeRules(trial *result.Trial, turn *result.Turn) {
	at := turnPlace{trial.Position, turn.Script()}
	use := func(r turnRule) {
		t.rulesUsed[usedRule{r, ""}], t.rulesUsed[usedRule{r, trial.Provider}] = true, true
	}
	if turn.NotRun == "" && turn.Error == "" {
		t.turnsRun[runTurn{at, ""}], t.turnsRun[runTurn{at, trial.Provider}] = true, true
	}
	for i := range turn.Messages {
		res := turn.Messages[i].ToolResult
		if res == nil {
			continue
		}
		if number, ok := res.Metadata[tools.InjectedRuleKey]; ok {
			use(turnRule{turn: at, rule: fmt.Sprint(number)})
		}
		if _, ok := res.Metadata[tools.ConsentKey]; ok {
			use(turnRule{turn: at, tool: res.Name})
		}
	}
}

// claimRules claims that every rule whose turn was run counted in a trial; and where several providers are tested, in
// one of each.
func (t *Tracker) claimRules(claim Maker) {
	for i := range t.rules {
		r := &t.rules[i]
		for _, w := range withEach(r.providers) {
			tool, what := r.text(w)
			claim("rule", r.pos, r.rule+tool+w.String()).At(w.place("rule "+r.pos.String())).Settle(
				t.rulesUsed[usedRule{r.turnRule, w.provider}], t.hasTurns && t.turnsRun[runTurn{r.turn, w.provider}],
				diag.Diagnostic{
					Severity: diag.Warning, Pos: r.pos, Width: utf8.RuneCountInString(tool), Code: "never-fired", Msg: what,
				})
		}
	}
}

// text says that a rule never applied, and its tool.
func (r *expectedRule) text(with with) (tool, what string) {
	f := r.failure
	if f == nil {
		return r.tool, fmt.Sprintf("consent_overrides: no trial%s called %s in this turn, so nobody was asked", with, r.tool)
	}
	what = fmt.Sprintf("chaos: no call of %s failed this way (%s) in any trial%s: how the agent takes it was not tested",
		f.Tool, f.Mode, with)
	if f.Probability > 0 && f.Probability < 1 {
		what += fmt.Sprintf("; its probability is %g", f.Probability)
	}
	return f.Tool, what
}
