package runner

import (
	"fmt"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/baseline"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
)

// stage says of each count that stops by the baseline what its first trials are held against; of a dataset each row is
// a count of its own. Where there is nothing, all of its trials run: without a baseline, and where it has the group not
// or asked it something else. That is noted: who asked for fewer trials pays for all.
func (m *matrix) stage(plan *Plan) {
	if !slices.ContainsFunc(plan.spans, func(s span) bool { return s.gate != nil && s.gate.Stop == result.StopBaseline }) {
		return // nothing to split: the spans of a large plan are not copied
	}
	whole := unstaged{}
	prints := NewFingerprints(&Options{})
	spans := make([]span, 0, len(plan.spans))
	for i := range plan.spans {
		s := plan.spans[i]
		if s.gate == nil || s.gate.Stop != result.StopBaseline {
			spans = append(spans, s)
			continue
		}
		m.refusePart(&s)
		all := *s.gate // which the spans of other providers share
		at := (max(all.Min, 1) + all.Block - 1) / all.Block * all.Block
		all.Stop, all.Min = result.StopNever, 1
		if s.gate = &all; m.diags.Errors() > 0 || at >= all.Max {
			spans = append(spans, s)
			continue
		}
		begin := len(spans)
		for part := range s.byGroup() {
			t := part.trial(0)
			if was, why := m.baselineGroup(&t, prints); why != "" {
				whole.add(why, &t, len(s.rows))
			} else {
				part.gate = staged(&all, at, was)
			}
			if n := len(spans); n > begin && spans[n-1].gate == part.gate { // rows of which all trials run
				spans[n-1].count += part.count
				continue
			}
			spans = append(spans, *part)
		}
	}
	plan.spans = spans
	plan.Notes = append(plan.Notes, whole.notes()...)
}

// staged is a count whose first trials are held against what they were in the baseline.
func staged(count *result.GateSpec, at int, was *baseline.Group) *result.GateSpec {
	spec := *count
	spec.Stop, spec.Min = result.StopBaseline, at
	spec.Stage = &result.Stage{
		At: at, Passed: was.Passed, Failed: was.Failed, Rule: was.Rule, Red: was.Status != result.Passed.String(),
	}
	return &spec
}

// mergeHolds is how shards are held against a baseline.
const mergeHolds = "arena merge --baseline holds the whole run against it"

// refusePart refuses a count of a shard that is to stop by a baseline, which a shard does not have. Where only the
// defaults of the project ask for it, all trials run, which is noted.
func (m *matrix) refusePart(s *span) {
	t := s.Scenario.Trials
	flag, file := m.opts.Rule.Stop != "", t != nil && t.Rule != nil && t.Rule.Stop == string(result.StopBaseline)
	if !m.opts.Part || !flag && !file {
		return
	}
	const says, hint = "a shard has no baseline by which its trials could stop", "pass --stop never: " + mergeHolds
	switch {
	case flag && m.first(says):
		m.diags.Errorf(diag.Pos{}, 0, noBaseline, "--stop baseline: %s", says).Hint = hint
	case !flag && m.first(fmt.Sprint(says, t.At("stop"))):
		m.diags.Errorf(t.At("stop"), 1, noBaseline, "scenario %q: stop: baseline: %s", s.Scenario.ID, says).Hint = hint
	}
}

// baselineGroup is what the first trials of a group are held against, or why there is nothing.
func (m *matrix) baselineGroup(t *Trial, prints *Fingerprints) (was *baseline.Group, why string) {
	switch {
	case m.opts.Part:
		return nil, "a shard has no baseline (" + mergeHolds + ")"
	case m.opts.Basis == nil:
		return nil, "there is no baseline"
	}
	if was = m.opts.Basis.File.Find(t.groupName()); was == nil {
		return nil, "the baseline does not have them"
	}
	if !result.AskedEqual(was.Asked, prints.Asked(t)) {
		return nil, "they ask or check something else than in the baseline"
	}
	return was, ""
}

// unstaged are the scenarios of which all trials run, by reason.
type unstaged map[string]map[string]*unstagedRows

// unstagedRows are the rows of a scenario of which all trials run.
type unstagedRows struct {
	rows map[int]bool
	of   int // 0: it has no dataset
}

func (u unstaged) add(why string, t *Trial, rows int) {
	if u[why] == nil {
		u[why] = map[string]*unstagedRows{}
	}
	of := u[why][t.Scenario.ID]
	if of == nil {
		of = &unstagedRows{rows: map[int]bool{}, of: rows}
		u[why][t.Scenario.ID] = of
	}
	of.rows[t.row] = true
}

func (u unstaged) notes() (list []string) {
	for _, why := range slices.Sorted(maps.Keys(u)) {
		var names []string
		for _, id := range slices.Sorted(maps.Keys(u[why])) {
			if of := u[why][id]; len(of.rows) < of.of {
				id = fmt.Sprintf("%s (%d of %s)", id, len(of.rows), plural.Count(of.of, "row"))
			}
			names = append(names, id)
		}
		list = append(list, fmt.Sprintf("stop: baseline: all trials of %s run: %s: %s",
			plural.Of(len(names), "scenario", "scenarios"), why, plural.Listed(names)))
	}
	return list
}
