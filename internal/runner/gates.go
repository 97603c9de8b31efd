package runner

import (
	"github.com/arena-evals/arena/internal/result"
)

// Gates are the groups of the plan whose trials may end early, in the order of the plan.
func (p *Plan) Gates() (list []result.GatedGroup) {
	for k := range p.spans {
		s := &p.spans[k]
		if s.gate == nil {
			continue
		}
		for part := range s.byGroup() {
			t := part.trial(0)
			g := result.GatedGroup{
				File: t.Scenario.Pos.File, Scenario: t.Scenario.ID, Provider: t.Endpoint.Spec.ID, Region: t.Region,
				First: t.Index - (t.N - 1), GateSpec: *s.gate,
			}
			if !s.wholeDataset {
				g.Row = t.RowID()
			}
			list = append(list, g)
		}
	}
	return list
}

// Recorded are the groups of a rejudged run whose trials may have ended early. No further trials of them run.
func (p *Plan) Recorded() []result.GatedGroup { return p.recorded }

// Planned is the number of trials of the plan, without the numbers of those that may replace others.
func (p *Plan) Planned() int {
	n := p.Len()
	for k := range p.spans {
		if s := &p.spans[k]; s.gate != nil {
			for part := range s.byGroup() {
				n -= max(part.N+part.count-1-s.gate.Max, 0)
			}
		}
	}
	return n
}

// Gated reports whether the trial is of a group whose trials may end early.
func (t *Trial) Gated() bool { return t.gate != nil }

// GroupID names the group of the trial: refund/gpt-4o/default, with the row of the dataset if each row is a group.
func (t *Trial) GroupID() string {
	if t.gate == nil || t.pooled() {
		return t.Group()
	}
	return t.Group() + t.rowSuffix()
}

// pooled reports whether a gate concludes from all trials of the group together: those of all rows, where there is a
// dataset.
func (t *Trial) pooled() bool { return t.gate != nil && t.gate.Rule == result.RuleGate }

// Rule is the gate of the trial's group; nil: all trials of the group run.
func (t *Trial) Rule() *result.GateSpec { return t.gate }
