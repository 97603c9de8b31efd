package result

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// variantCounts are the trials of one variant, or row, of a group.
type variantCounts struct {
	name           string // with the bracket behind it, as ids of trials end
	passed, failed int
}

// VariantWarnings warns of gates that passed by the trials of other variants, or of other rows, than those of one that
// failed each time: a gate asks for a share of all trials together. It does so where that is no chance: if each variant
// had the rate that is asked for, one would fail so often in fewer runs than the confidence of the gate leaves, by the
// bound of Bonferroni over the variants.
func (r *Run) VariantWarnings() (list []diag.Diagnostic) {
	if !slices.ContainsFunc(r.Groups, func(g Group) bool { return g.passedGate() }) {
		return nil
	}
	variants := r.variantsOfGates()
	for i := range r.Groups {
		g := &r.Groups[i]
		of := variants[i]
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

// variantsOfGates counts the trials of gates that passed, by group and in the order in which variants come.
func (r *Run) variantsOfGates() map[int][]variantCounts {
	type variant struct {
		group int
		name  string
	}
	counts, places := map[int][]variantCounts{}, map[variant]int{}
	for _, b := range r.Briefs.All() {
		group := int(b.Group)
		if b.Gone || group < 0 || group >= len(r.Groups) || !r.Groups[group].passedGate() {
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
