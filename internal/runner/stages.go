package runner

import (
	"github.com/arena-evals/arena/internal/result"
)

// stage says of each count that stops by the baseline what its first trials are held against. Where there is nothing,
// all of its trials run: without a baseline, where it has the group not or asked it something else, and of datasets,
// whose rows have a line each.
func (m *matrix) stage(plan *Plan) {
	prints := NewFingerprints(&Options{})
	for i := range plan.spans {
		s := &plan.spans[i]
		if s.gate == nil || s.gate.Stop != result.StopBaseline {
			continue
		}
		spec := *s.gate // which the spans of other providers share
		s.gate = &spec
		at := (max(spec.Min, 1) + spec.Block - 1) / spec.Block * spec.Block
		spec.Stop, spec.Min = result.StopNever, 1
		if m.opts.Basis == nil || m.diags.Errors() > 0 || s.rows != nil || at >= spec.Max {
			continue
		}
		t := s.trial(0)
		was := m.opts.Basis.File.Find(t.groupName())
		if was == nil || was.Asked != prints.Asked(&t) {
			continue
		}
		spec.Stop, spec.Min = result.StopBaseline, at
		spec.Stage = &result.Stage{At: at, Passed: was.Passed, Failed: was.Failed, Rule: was.Rule}
	}
}
