package runner

import (
	"fmt"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/baseline"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
)

// stage says of each count that stops by the baseline what its first trials are held against. Where there is nothing,
// all of its trials run: without a baseline, where it has the group not or asked it something else, and of datasets,
// whose rows have a line each. That is noted: who asked for fewer trials pays for all.
func (m *matrix) stage(plan *Plan) {
	whole := map[string][]string{} // scenarios, by why all of their trials run
	defer func() {
		for _, why := range slices.Sorted(maps.Keys(whole)) {
			names := slices.Compact(whole[why])
			plan.Notes = append(plan.Notes, fmt.Sprintf("stop: baseline: all trials of %s run: %s: %s",
				plural.Of(len(names), "scenario", "scenarios"), why, plural.Listed(names)))
		}
	}()
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
		if m.diags.Errors() > 0 || at >= spec.Max {
			continue
		}
		t := s.trial(0)
		was, why := m.firstLook(s, &t, prints)
		if why != "" {
			whole[why] = append(whole[why], t.Scenario.ID)
			continue
		}
		spec.Stop, spec.Min = result.StopBaseline, at
		spec.Stage = &result.Stage{
			At: at, Passed: was.Passed, Failed: was.Failed, Rule: was.Rule, Red: was.Status != result.Passed.String(),
		}
	}
}

// firstLook is what the first trials of a span are held against, or why there is nothing.
func (m *matrix) firstLook(s *span, t *Trial, prints *Fingerprints) (was *baseline.Group, why string) {
	switch {
	case m.opts.Part:
		return nil, "a shard has no baseline"
	case m.opts.Basis == nil:
		return nil, "there is no baseline"
	case s.rows != nil:
		return nil, "of a dataset no first trials are looked at"
	}
	if was = m.opts.Basis.File.Find(t.groupName()); was == nil {
		return nil, "the baseline does not have them"
	}
	if !result.AskedAlike(was.Asked, prints.Asked(t)) {
		return nil, "they ask or check something else than in the baseline"
	}
	return was, ""
}
