package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
)

// A combined check is made of other checks, its parts, which may be combined too. Each part is compiled and judged like
// a separate check, with its own thresholds, conditions and scope. An error in one part is an error of the whole: a
// check that could not judge must not become a pass, above all under not. A part that does not apply is left out.

// nestedCheck is a parameter that holds a check.
type nestedCheck struct {
	compiled *Compiled
	claim    claim // within any_of
}

// weightedCheck is a check with a weight.
type weightedCheck struct {
	nestedCheck
	weight float64
}

// maxNesting is the maximum depth of nested checks.
const maxNesting = 100

func (*nestedCheck) shape() keys.Shape {
	return keys.Own{Words: "check", Doc: jsonschema.Doc{Ref: scenario.NestedSchema}}
}

func (*weightedCheck) shape() keys.Shape {
	return keys.Own{Words: "check with weight", Doc: jsonschema.Doc{Ref: scenario.WeightedSchema}}
}

func (p *nestedCheck) take(b *binder, n *node.Node, what string) bool {
	_, ok := p.read(b, n, what, false)
	return ok
}

func (p *weightedCheck) take(b *binder, n *node.Node, what string) (ok bool) {
	p.weight, ok = p.read(b, n, what, true)
	return ok
}

// read compiles the check at n.
func (p *nestedCheck) read(b *binder, n *node.Node, what string, weighted bool) (weight float64, ok bool) {
	if b.depth > maxNesting {
		b.r.Errorf(n, "too-deep", "%s is nested in %d checks; at most %d can be nested", what, b.depth,
			maxNesting).Hint = "say the same with fewer: not of not is the check itself, all_of in all_of is one list"
		return 0, false
	}
	before := b.r.Diags.Errors()
	part := scenario.ReadNested(b.r, n, what, weighted)
	if part == nil {
		return 0, false
	}
	if part.Type != "" {
		p.compiled = b.nested(&part.Check)
		if b.def == anyOfDef {
			p.claim = claimOf(&part.Check)
		}
	}
	whole := p.compiled != nil && p.compiled.Check != nil // it is nil for an unknown type that a project may declare
	return part.Weight, whole && b.r.Diags.Errors() == before
}

// nested compiles a check within this one, with the same list of problems.
func (b *binder) nested(spec *scenario.Check) *Compiled {
	k := &compilation{
		c: b.c, spec: spec, own: b.own, r: b.r, depth: b.depth,
		negated: b.negated, turned: b.turned, around: b.around, scored: b.scored, lets: b.lets, least: b.least,
	}
	return k.compile()
}

// parts are the parts of a combined check, in the order of the file.
type parts []*Compiled

func (p parts) nested() []*Compiled { return p }

// Needs is the sum of the parts' needs.
func (p parts) Needs() (all Needs) {
	for _, part := range p {
		all |= part.Needs()
	}
	return all
}

func partsOf(list []nestedCheck) parts {
	all := make(parts, len(list))
	for i := range list {
		all[i] = list[i].compiled
	}
	return all
}

// judge runs the parts, cheap ones first. decided reports after each verdict whether the outcome is settled. After that
// expensive parts are not run, but cheap ones are, for the report. In the result, parts that were not run or do not
// apply are skipped.
//
// The verdicts hide uncertainty: if the score of a part is uncertain, so is the combined score. whole reports that, and
// whether a part had no reply to judge.
func (p parts) judge(
	ctx context.Context, s *Subject, decided func(result.Verdict) bool,
) (out []result.Verdict, whole together, err error) {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return p[a].Needs().Cost() - p[b].Needs().Cost() })
	out, whole.kept = make([]result.Verdict, len(p)), make([]float64, len(p))
	done, applied := false, 0
	for _, i := range order {
		if done && p[i].Needs().Cost() > cheapCost {
			out[i] = result.Verdict{Type: p[i].Type, Status: result.Skipped, Skipped: true, SkipReason: result.NotNeeded}
			continue
		}
		v, f := p[i].judge(ctx, s)
		if f.doubt != nil {
			whole.doubt = &doubt{high: 1, held: true, why: f.doubt.why}
		}
		if f.silent && !whole.silent {
			whole.silent, whole.way = true, f.way
		}
		switch v.Status {
		case result.Passed, result.Failed:
			applied++
			whole.kept[i] = p[i].keptPart(f, v.Passed)
		case result.Skipped:
		default:
			if v.Status == result.Cancelled {
				return nil, together{}, ctx.Err()
			}
			return nil, together{}, fmt.Errorf("%s: %s", partLabel(&v, p[i]), v.Error)
		}
		out[i] = v
		done = done || v.Status != result.Skipped && decided(v)
	}
	if applied == 0 {
		return nil, together{}, noneApplies(out)
	}
	return out, whole, nil
}

// together is the combined state of several parts.
type together struct {
	doubt  *doubt
	silent bool
	way    string    // what to do about the first silent part
	kept   []float64 // for each part that applies: its score, or brokenLimit if it breaks a limit of its own
}

// keptPart is the score of a part, or brokenLimit if it breaks a limit that its author gave, thresholds included.
func (c *Compiled) keptPart(f Finding, passed bool) float64 {
	if !c.limited() {
		return c.keptScore(f)
	}
	if passed {
		return f.Score
	}
	return brokenLimit
}

// limitedItself reports whether any part has a limit that its author gave.
func (p parts) limitedItself() bool {
	return slices.ContainsFunc(p, func(part *Compiled) bool { return part.limited() || part.limitedItself() })
}

// keptOf are the kept scores of the parts that apply.
func (j *together) keptOf(all []result.Verdict) (kept []float64) {
	for i := range all {
		if all[i].Status != result.Skipped {
			kept = append(kept, j.kept[i])
		}
	}
	return kept
}

// applied returns the scores of the parts that were judged, at least one, and how many of them passed.
func applied(all []result.Verdict) (scores []float64, passed int) {
	for i := range all {
		if v := &all[i]; v.Status != result.Skipped {
			scores = append(scores, *v.Score)
			if v.Passed {
				passed++
			}
		}
	}
	return scores, passed
}

// cheapCost is the highest cost of checks that neither start a program nor use the network.
const cheapCost = 1

func noneApplies(all []result.Verdict) error {
	reasons := make([]string, len(all))
	for i := range all {
		reasons[i] = all[i].Name() + ": " + all[i].SkipReason
	}
	return fmt.Errorf("%w: %s", ErrNotApplicable, say.Listed(reasons, "; "))
}

// partLabel names a part by its message, if it has one, and its type.
func partLabel(v *result.Verdict, part *Compiled) string {
	if v.Message != "" {
		return say.Named(v.Message) + " (" + part.Type + ")"
	}
	return part.Type
}

// summary lists the verdicts that decide the outcome, and puts all verdicts into the details.
func (p parts) summary(all []result.Verdict, matters func(*result.Verdict) bool) (string, []Details) {
	var texts []string
	details := make([]Details, len(all))
	for i := range all {
		v := &all[i]
		details[i] = partDetails(v, p[i])
		if v.Status != result.Skipped && matters(v) {
			texts = append(texts, partLabel(v, p[i])+": "+v.Explanation)
		}
	}
	return say.Listed(texts, "; "), details
}

func partDetails(v *result.Verdict, part *Compiled) Details {
	d := Details{"type": part.Type, "status": v.Status.String()}
	for key, value := range map[string]string{
		"message": v.Message, "explanation": v.Explanation, "skip_reason": v.SkipReason,
	} {
		if value != "" {
			d[key] = value
		}
	}
	if v.Score != nil {
		d["score"] = *v.Score
	}
	if v.Details != nil {
		d["details"] = v.Details
	}
	return d
}
