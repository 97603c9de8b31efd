package claims

import (
	"fmt"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// expectedWindow is a context policy that is to leave something out.
type expectedWindow struct {
	scenario diag.Pos
	policy   *scenario.ContextPolicy
}

// ExpectWindow expects that the context policy of a scenario leaves something out. It expects nothing of a policy that
// only refuses long conversations or that also marks what servers may keep: these do their work without leaving out.
func (t *Tracker) ExpectWindow(s *scenario.Scenario, specs []*scenario.Provider) {
	if s.Window == nil || s.Window.Strategy == scenario.RefuseLonger || s.Window.Breakpoints {
		return
	}
	for _, spec := range specs {
		if !spec.IsAgent() {
			t.windows = append(t.windows, expectedWindow{s.Pos, s.Window})
			return
		}
	}
}

// observeWindow notes whether the context policy of a trial left something out, and whether it could.
func (t *Tracker) observeWindow(trial *result.Trial, turn *result.Turn) {
	for i := range turn.Messages {
		if turn.Messages[i].LeftOut != nil {
			t.windowsUsed[trial.Position] = true
		}
	}
	if trial.Status == result.Passed || trial.Status == result.Failed {
		t.windowsRun[trial.Position] = true
	}
}

// claimWindows claims that every context policy leaves something out in a trial.
func (t *Tracker) claimWindows(claim Maker) {
	for _, w := range t.windows {
		tried := t.hasTurns && t.windowsRun[w.scenario]
		claim("window", w.policy.Pos, "").Settle(t.windowsUsed[w.scenario], tried, diag.Diagnostic{
			Severity: diag.Warning, Pos: w.policy.Pos, Width: 1, Code: "never-fired",
			Msg: fmt.Sprintf("context_policy had no effect: no conversation came to more than its token_budget of %d allows, "+
				"and nothing was left out in any trial", w.policy.Budget),
		})
	}
}
