package result

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
)

// variantCounts counts the trials of one variant, or row, of a group.
type variantCounts struct {
	name           string // in the format of trial ids, with brackets
	passed, failed int
}

// VariantWarnings warns of groups that passed although none of their trials did, or none of those of a variant or row.
// A count holds each check to its own share, and so may pass where another check failed in each trial. A gate asks for
// a share of all trials together; of its variants one is told that failed each time where that is no chance: if each
// had the rate that is asked for, one would fail so often in fewer runs than the confidence of the gate leaves, by the
// bound of Bonferroni over the variants.
func (r *Run) VariantWarnings() (list []diag.Diagnostic) {
	if !slices.ContainsFunc(r.Groups, func(g Group) bool { return g.mayHide() }) {
		return nil
	}
	variants := r.variantsThatPassed()
	for i := range r.Groups {
		g := &r.Groups[i]
		of := variants[i]
		if g.passedCount() {
			list = append(list, g.neverRight(of)...)
			continue
		}
		for _, v := range of {
			if v.passed > 0 || v.failed == 0 {
				continue
			}
			chance := math.Pow(1-g.Gate.PassRate, float64(v.failed)) * float64(len(of))
			if chance > 1-g.Gate.Confidence {
				continue
			}
			list = append(list, diag.Diagnostic{
				Severity: diag.Warning, Pos: diag.Pos{File: g.File}, Code: "variant-fails",
				Msg:  fmt.Sprintf("the gate of %s passed, and [%s failed in each of its %d trials", g.name(), v.name, v.failed),
				Hint: "a pass_rate is that of all variants together; to hold each to it, write a scenario for each",
			})
		}
	}
	return list
}

// neverRight warns of a count that passed without a trial, of one of its variants or at all, that passed all of its
// checks.
func (g *Group) neverRight(variants []variantCounts) (list []diag.Diagnostic) {
	warn := func(of string, failed int) {
		list = append(list, diag.Diagnostic{
			Severity: diag.Warning, Pos: diag.Pos{File: g.File}, Code: "no-trial-passed",
			Msg: fmt.Sprintf("%s passed, and none of its %s%s passed all of its checks",
				g.name(), plural.Count(failed, "trial"), of),
			Hint: "a pass_threshold counts for one check alone, so that another check may fail in each trial; " +
				"trials: {pass_rate: …} asks for a share of whole conversations",
		})
	}
	if g.Passed == 0 && g.Trials > 0 {
		warn("", g.Trials)
		return list
	}
	for _, v := range variants {
		if v.passed == 0 && v.failed > 0 {
			warn(" with ["+v.name, v.failed)
		}
	}
	return list
}

// variantsThatPassed counts the trials of groups that passed, by group and in the order in which variants come.
func (r *Run) variantsThatPassed() map[int][]variantCounts {
	type variant struct {
		group int
		name  string
	}
	counts, places := map[int][]variantCounts{}, map[variant]int{}
	for _, b := range r.Briefs.All() {
		group := int(b.Group)
		if b.Gone || group < 0 || group >= len(r.Groups) || !r.Groups[group].mayHide() {
			continue
		}
		_, name, found := strings.Cut(b.ID, fmt.Sprintf("#%d[", b.Trial))
		if !found {
			continue
		}
		at, known := places[variant{group, name}]
		if !known {
			at = len(counts[group])
			places[variant{group, name}], counts[group] = at, append(counts[group], variantCounts{name: name})
		}
		switch b.Status {
		case Passed:
			counts[group][at].passed++
		case Failed:
			counts[group][at].failed++
		default:
		}
	}
	return counts
}

// passedGate reports whether a gate with a rate passed.
func (g *Group) passedGate() bool { return g.Gate != nil && g.Gate.PassRate > 0 && g.Status == Passed }

// passedCount reports whether a count passed although some of its trials failed.
func (g *Group) passedCount() bool {
	return g.Gate != nil && g.Gate.Rule == RuleCount && g.Status == Passed && g.Passed < g.Trials
}

// mayHide reports whether the group passed by a rule that some of its trials may fail.
func (g *Group) mayHide() bool { return g.passedGate() || g.passedCount() }
