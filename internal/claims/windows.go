package claims

import (
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// expectedWindow is a context policy that is to leave something out.
type expectedWindow struct {
	scenario  diag.Pos
	policy    *scenario.ContextPolicy
	providers []string
}

// place is a scenario in trials of a provider; "": in any.
type place struct {
	scenario diag.Pos
	provider string
}

// ExpectWindow expects that the context policy of a scenario leaves something out. It expects nothing of a policy that
// only refuses long conversations or that also marks what servers may keep: these do their work without leaving out.
func (t *Tracker) ExpectWindow(s *scenario.Scenario, specs []*scenario.Provider) {
	if s.Window == nil || s.Window.Strategy == scenario.RefuseLonger || s.Window.Breakpoints {
		return
	}
	models := slices.DeleteFunc(slices.Clone(specs), func(p *scenario.Provider) bool { return p.IsAgent() })
	if len(models) > 0 {
		t.windows = append(t.windows, expectedWindow{s.Pos, s.Window, idsOf(models)})
	}
}

// observeWindow notes whether the context policy of a trial left something out, and whether it could.
func (t *Tracker) observeWindow(trial *result.Trial, turn *result.Turn) {
	for i := range turn.Messages {
		if turn.Messages[i].LeftOut != nil {
			t.windowsUsed[place{trial.Position, ""}], t.windowsUsed[place{trial.Position, trial.Provider}] = true, true
		}
	}
	if trial.Status == result.Passed || trial.Status == result.Failed {
		t.windowsRun[place{trial.Position, ""}], t.windowsRun[place{trial.Position, trial.Provider}] = true, true
	}
}

// claimWindows claims that every context policy leaves something out in a trial; and where several models are tested,
// in one of each.
func (t *Tracker) claimWindows(claim Maker) {
	for _, w := range t.windows {
		for _, with := range withEach(w.providers) {
			at := place{w.scenario, with.provider}
			claim("window", w.policy.Pos, with.String()).At(with.place("window "+w.policy.Pos.String())).Settle(
				t.windowsUsed[at], t.hasTurns && t.windowsRun[at], diag.Diagnostic{
					Severity: diag.Warning, Pos: w.policy.Pos, Width: 1, Code: "never-fired",
					Msg: fmt.Sprintf("context_policy had no effect%s: no conversation came to more than its token_budget of %d "+
						"allows, and nothing was left out in any trial", with, w.policy.Budget),
				})
		}
	}
}
