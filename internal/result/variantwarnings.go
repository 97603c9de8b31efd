package result

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// VariantWarnings warns of gates that passed by the trials of other variants, or of other rows, than those of one that
// failed each time: a gate asks for a share of all trials together. It does so where that is no chance: if each variant
// had the rate that is asked for, one would fail so often in fewer runs than the confidence of the gate leaves, by the
// bound of Bonferroni over the variants.
func (r *Run) VariantWarnings() (list []diag.Diagnostic) {
	type counts struct {
		name           string
		passed, failed int
	}
	variants := map[int32][]counts{} // by group
	for _, b := range r.Briefs.All() {
		if b.Gone || b.Group < 0 || int(b.Group) >= len(r.Groups) || !r.Groups[b.Group].passedGate() {
			continue
		}
		_, name, found := strings.Cut(b.ID, fmt.Sprintf("#%d[", b.Trial))
		if !found {
			continue
		}
		of := variants[b.Group]
		at := 0
		for at < len(of) && of[at].name != name {
			at++
		}
		if at == len(of) {
			of = append(of, counts{name: name})
		}
		switch b.Status {
		case Passed:
			of[at].passed++
		case Failed:
			of[at].failed++
		default:
		}
		variants[b.Group] = of
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		for _, v := range variants[int32(i)] {
			chance := math.Pow(1-g.Gate.PassRate, float64(v.failed)) * float64(len(variants[int32(i)]))
			if v.passed > 0 || v.failed == 0 || chance > 1-g.Gate.Confidence {
				continue
			}
			list = append(list, diag.Diagnostic{
				Severity: diag.Warning, Pos: diag.Pos{File: g.File}, Code: "variant-fails",
				Msg: fmt.Sprintf("the gate of %s passed, and [%s failed in each of its %d trials", cmp.Or(g.Scenario, "?"), v.name,
					v.failed),
				Hint: "a pass_rate is that of all variants together; to hold each to it, write a scenario for each",
			})
		}
	}
	return list
}

// passedGate reports whether a gate with a rate passed.
func (g *Group) passedGate() bool { return g.Gate != nil && g.Gate.PassRate > 0 && g.Status == Passed }
