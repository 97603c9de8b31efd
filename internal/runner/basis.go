package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// noBaseline is the code of the problem that a run has no baseline.
const noBaseline = "no-baseline"

// reportBasis reports, before any call is paid, a baseline with which the plan cannot be compared, and a fail_on reason
// that needs a baseline when there is none. A shard is not compared: whoever merges the shards does that.
func (m *matrix) reportBasis(plan *Plan) {
	basis := m.opts.Basis
	compares := slices.Contains(plan.FailOn, result.FailOnRegressed)
	switch {
	case m.diags.Errors() > 0 || plan.Len() == 0 || m.opts.Part:
		return
	case basis == nil && compares:
		m.diags.Errorf(diag.Pos{}, 0, noBaseline, "fail_on: %s compares with a baseline, and none is named",
			result.FailOnRegressed).Hint = "arena bless makes one of a run; name it with --baseline"
	case basis != nil:
		fit := result.Fit{Suite: plan.Name, Gates: compares || basis.KnownFailures}
		prints := NewFingerprints(&Options{})
		for t := range plan.Sizes() {
			fit.Groups = append(fit.Groups, result.Asking{Group: t.groupName(), Asked: prints.Asked(t)})
		}
		basis.Mismatch(fit, m.diags)
	}
}

// groupName is the name of the trial's group, as result.Brief has it.
func (t *Trial) groupName() string {
	name := t.Group()
	if !t.pooled() {
		name += t.rowSuffix()
	}
	if t.Recorded != nil && t.Recorded.Name != "" {
		name += "[" + t.Recorded.Name + "]"
	}
	if t.Finished != nil {
		name = t.Finished.Brief.GroupName()
	}
	return name
}
