package runner

import (
	"github.com/arena-evals/arena/internal/claims"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// Observe collects the names in a trial that is kept from an earlier part of the run. Trials that run now are observed
// by themselves.
func (p *Plan) Observe(t *result.Trial) { p.tracker.Observe(t) }

// Recall has judges repeat their answers in a kept trial at no cost. anew: they are asked again. It must be called
// before Run.
func (p *Plan) Recall(t *result.Trial, anew bool) {
	p.judged.Skip(t)
	p.learnCost(t)
	if p.memory != nil {
		t.Judged(func(j *result.Judgement) { p.memory.Recall(j, anew || t.Index >= p.Len()) })
	}
}

// RecallJudges has judges repeat their answers in a trial that is not kept. It must be called before Run.
func (p *Plan) RecallJudges(t *result.Trial) {
	p.judged.Skip(t)
	if p.memory != nil {
		t.Judged(func(j *result.Judgement) { p.memory.Recall(j, false) })
	}
}

// NeverNamed returns warnings about names in checks that no conversation had and no file declares, about thresholds of
// evals that judged nothing, and about fields to redact that no reply had. It returns nothing when no turn ran.
func (p *Plan) NeverNamed() (list []diag.Diagnostic) {
	for _, c := range result.UnmetClaims(p.Claims()) {
		list = append(list, c.Warning)
	}
	return list
}

// Claims returns what has to come up at least once in a run of the plan, and whether it did so far: the names in checks
// that no file declares, what evals with thresholds judge, and so on. A plan that is a shard has those of the whole.
func (p *Plan) Claims() []result.Claim {
	list := &claims.List{}
	p.claimRedacted(list.Kind())
	if p.tracker == nil {
		return list.All()
	}
	p.tracker.ClaimNames(list, p.compared())
	p.claimCompared(list.Kind())
	p.tracker.ClaimUses(list)
	return list.All()
}
