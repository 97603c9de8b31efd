package arenatest

import (
	"fmt"
	"testing"

	"github.com/arena-evals/arena"
)

// maxReported is how many failed trials of a group are reported.
const maxReported = 3

// reportGroup passes, skips or fails the subtest of trials that are judged together.
func reportGroup(t *testing.T, p arena.Planned, res *arena.Result) {
	g := groupOf(p, res)
	if g == nil {
		t.Fatal("none of its trials ended")
	}
	said := g.String()
	if g.Gate != nil && g.Gate.NotNeeded > 0 {
		said += fmt.Sprintf("; %d of %d trials not needed", g.Gate.NotNeeded, g.Gate.Max)
	}
	printLine(t, said)
	switch {
	case g.Status == arena.Passed:
		return
	case g.Status == arena.Skipped || g.Status == arena.Undecided && g.Gate != nil && g.Gate.Allowed:
		t.SkipNow()
	}
	told, excused := 0, ""
	for i := range res.Trials {
		tr := &res.Trials[i]
		if isOf(tr, g) {
			excused = tr.Excused
		}
		if !isOf(tr, g) || tr.Status == arena.Passed || tr.Status == arena.Cancelled {
			continue
		}
		if told++; told > maxReported {
			continue
		}
		printLine(t, fmt.Sprintf("trial %d: %s", tr.Trial, tr.Failure()))
	}
	if told > maxReported {
		printLine(t, fmt.Sprintf("and %d more trials that did not pass", told-maxReported))
	}
	if excused != "" {
		printLine(t, excused)
		t.SkipNow()
	}
	t.Fail()
}

// groupOf is the group of a planned trial; nil: none of its trials ended.
func groupOf(p arena.Planned, res *arena.Result) *arena.Group {
	for i := range res.Groups {
		g := &res.Groups[i]
		if g.File == p.Position.File && g.Scenario == p.Scenario && g.Provider == p.Provider && g.Region == p.Region &&
			g.Row == p.Row {
			return g
		}
	}
	return nil
}

func isOf(tr *arena.Trial, g *arena.Group) bool {
	return tr.Position.File == g.File && tr.Scenario == g.Scenario && tr.Provider == g.Provider &&
		tr.Region == g.Region && (g.Row == "" || tr.Row == g.Row)
}
