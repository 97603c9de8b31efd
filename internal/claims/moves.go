package claims

import (
	"fmt"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// expectedMove is a workflow that some trial is to move on from the state in which it starts.
type expectedMove struct {
	workflow  *scenario.Workflow
	scenarios map[diag.Pos]bool // that start in a state from which events lead on
	ran       int               // trials of them that had a turn
	starts    map[string]bool   // where these started
	met       bool
}

// ExpectMoves expects that a trial of one of the scenarios makes a transition: where all of them stay where they start,
// all that depends on the other states of the workflow was not tested.
func (t *Tracker) ExpectMoves(w *scenario.Workflow, scenarios []*scenario.Scenario) {
	m := &expectedMove{workflow: w, scenarios: map[diag.Pos]bool{}, starts: map[string]bool{}}
	for _, s := range scenarios {
		m.scenarios[s.Pos] = true
	}
	t.moves = append(t.moves, m)
}

// observeMove notes whether a trial moved on. One that ended early may have been about to.
func (t *Tracker) observeMove(trial *result.Trial) {
	for _, m := range t.moves {
		if !m.scenarios[trial.Position] || trial.Workflow == nil {
			continue
		}
		m.met = m.met || len(trial.Workflow.Transitions) > 0 || trial.Status == result.Errored ||
			trial.Status == result.Cancelled
		for i := range trial.Turns {
			if trial.Turns[i].NotRun == "" {
				m.ran++
				m.starts[trial.Workflow.Start] = true
				break
			}
		}
	}
}

// claimMoves claims that every workflow moved on in a trial.
func (t *Tracker) claimMoves(claim Maker) {
	for _, m := range t.moves {
		others := len(m.workflow.States) - len(m.starts)
		claim("moves", m.workflow.Pos, "").Settle(m.met, m.ran > 0 && others > 0, diag.Diagnostic{
			Severity: diag.Warning, Pos: m.workflow.Pos, Width: 1, Code: "never-fired",
			Msg: fmt.Sprintf("workflow: no trial left the state in which it started: %s tested",
				plural.Of(others, "other state was not", "other states were not")),
			Hint: "add a scenario in which the agent moves on; arena run -v says what no trial touched",
		})
	}
}
