package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
)

var weightedDef = define[weightedParams](Def{
	Name:    "weighted",
	Summary: "The weighted mean of the scores of some checks reaches a threshold.",
	Scoring: "Sum of weight · score / sum of weights, over the checks that apply. Passes from " +
		"threshold on, unless a check " +
		"breaks a min_score or max_score of its own; a min_score beside it must be reached as well.",
	Family:   FamilyCombined,
	Surfaces: Everywhere,
	Decides:  true,
})

type weightedParams struct {
	Checks    []weightedCheck `param:"checks,required" doc:"The checks, each with a weight beside its type (1 when left out)."`
	Threshold float64         `param:"threshold" default:"1" min:"0" max:"1" doc:"The lowest mean that passes."`
}

func (p weightedParams) Build(b *binder) Check {
	c := &weighted{threshold: p.Threshold, given: b.read["threshold"] != nil}
	for i := range p.Checks {
		c.parts = append(c.parts, p.Checks[i].compiled)
		c.weights = append(c.weights, p.Checks[i].weight)
	}
	if p.Threshold <= slack && !slices.ContainsFunc(c.parts, (*Compiled).limited) {
		b.noteVacuous("threshold", limitHolds, "every mean is at least that")
	}
	return c
}

type weighted struct {
	parts
	weights   []float64
	threshold float64
	given     bool // the author gave the threshold
}

func (c *weighted) limitedItself() bool {
	return c.given || slices.ContainsFunc(c.parts, (*Compiled).limited)
}

func (c *weighted) Eval(ctx context.Context, s *Subject) (Finding, error) {
	all, whole, err := c.judge(ctx, s, func(result.Verdict) bool { return false })
	if err != nil {
		return Finding{}, err
	}
	_, details := c.summary(all, func(*result.Verdict) bool { return false })
	broken := func(v *result.Verdict) bool { return (v.MinScore != nil || v.MaxScore != nil) && !v.Passed }
	sum, weights, required := 0.0, 0.0, true
	for i := range all {
		details[i]["weight"] = c.weights[i]
		if v := &all[i]; v.Status != result.Skipped {
			sum, weights = sum+c.weights[i]**v.Score, weights+c.weights[i]
			required = required && !broken(v)
		}
	}
	score := min(1, sum/weights)
	kept := score
	if !required || c.given && score < c.threshold-slack {
		kept = brokenLimit
	}
	holds := required && score >= c.threshold-slack
	f := Finding{
		Score: score, Holds: &holds, Details: Details{"checks": details, "threshold": c.threshold},
		Explanation: fmt.Sprintf("weighted mean %s, at least %s needed", say.Decimal(fourDigits(score)),
			say.Decimal(c.threshold)),
		doubt: whole.doubt, kept: &kept, silent: whole.silent && !holds, way: whole.way,
	}
	if whole.doubt != nil {
		whole.doubt.held = false // the mean also decides
	}
	reason := func(v *result.Verdict) bool { return *v.Score < 1-slack }
	if score >= c.threshold-slack {
		reason = broken
	}
	if text, _ := c.summary(all, reason); !holds && text != "" {
		f.Explanation += "; " + text
	}
	return f, nil
}
