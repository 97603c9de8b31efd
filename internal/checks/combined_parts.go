package checks

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// A composition makes one check out of others, which may be compositions themselves. What it is made of is compiled
// with it and judged like checks that stand alone, with thresholds, conditions and scopes of their own. An error in one
// part is an error of the whole: what could not be judged must not become a pass, least of all by being negated. A part
// that does not apply is left out.

// nestedCheck is a parameter that holds a check.
type nestedCheck struct{ compiled *Compiled }

// weightedCheck is a check with a weight.
type weightedCheck struct {
	nestedCheck
	weight float64
}

// maxWeight keeps sums of weights finite.
const maxWeight = 1e6

// maxNesting bounds what each of them tells of those within it.
const maxNesting = 100

var nestedKeys = []string{"type", "params", "when", "min_score", "max_score", "message"}

// nestedSchemas are the definitions that describe the two.
var nestedSchemas = map[string]map[string]any{
	"nested-check": {},
	"weighted-check": {"weight": map[string]any{
		"type": "number", "exclusiveMinimum": 0, "maximum": maxWeight,
		"description": "How much its score counts; 1 when left out.",
	}},
}

func (*nestedCheck) describe() (string, map[string]any) {
	return "check", map[string]any{"$ref": "#/$defs/nested-check"}
}

func (*weightedCheck) describe() (string, map[string]any) {
	return "check with weight", map[string]any{"$ref": "#/$defs/weighted-check"}
}

func (p *nestedCheck) take(b *binder, n *node.Node, what string) bool {
	return p.read(b, n, what, nestedKeys, nil)
}

func (p *weightedCheck) take(b *binder, n *node.Node, what string) bool {
	p.weight = 1
	return p.read(b, n, what, append(slices.Clone(nestedKeys), "weight"), func(v *node.Node) {
		f, ok := b.r.Float(v, what+": weight", 0, maxWeight)
		if p.weight = f; ok && f == 0 {
			b.r.Errorf(v, "out-of-range", "%s: weight must be above 0, found %s", what, v.Value)
		}
	})
}

// read compiles the check that stands at n; weight takes the one key that is not every check's.
func (p *nestedCheck) read(b *binder, n *node.Node, what string, known []string, weight func(*node.Node)) bool {
	if b.depth > maxNesting {
		b.r.Errorf(n, "too-deep", "%s stands within %d checks; at most %d can stand within each other", what, b.depth,
			maxNesting).Hint = "say the same with fewer: not of not is the check itself, all_of in all_of is one list"
		return false
	}
	before := b.r.Diags.Errors()
	spec := scenario.Check{Pos: b.r.Pos(n)}
	walked := b.r.Fields(n, what, known, func(key string, _, v *node.Node) {
		switch key {
		case "type":
			spec.Type, _ = b.r.Name(v, what+": type")
			spec.Pos = b.r.Pos(v)
		case "params":
			spec.ParamsPos = b.r.Pos(v)
			if !node.IsNull(v) {
				spec.Params = v
			}
		case "message":
			spec.Message, _ = b.r.String(v, what+": message")
		case "min_score":
			spec.MinScore, spec.MinAt = b.unit(v, what+": "+key), b.r.Pos(v)
		case "max_score":
			spec.MaxScore, spec.MaxAt = b.unit(v, what+": "+key), b.r.Pos(v)
		case "when":
			spec.When = b.when(v, what+": when")
		case "weight":
			weight(v)
		}
	})
	if walked && node.Get(n, "type") == nil {
		b.missing(n, "%s has no type", what).Hint = "write the check as type: and params:"
	}
	if spec.Type != "" {
		p.compiled = b.nested(&spec)
	}
	return b.r.Diags.Errors() == before
}

// nested compiles a check within this one. Its problems go where those of this one go.
func (b *binder) nested(spec *scenario.Check) *Compiled {
	k := &compilation{c: b.c, spec: spec, own: b.own, r: b.r, negated: b.negated, depth: b.depth}
	return k.compile()
}

func (b *binder) unit(v *node.Node, what string) *float64 {
	f, ok := b.r.Float(v, what, 0, 1)
	if !ok {
		return nil
	}
	return &f
}

// when reads the conditions of a nested check.
func (b *binder) when(n *node.Node, what string) *scenario.When {
	w := &scenario.When{}
	known := []string{"tool_called", "tool_called_pattern", "any_tool_called", "min_tool_calls"}
	b.r.Fields(n, what, known, func(key string, _, v *node.Node) {
		switch key {
		case "tool_called":
			w.ToolCalled, _ = b.r.Name(v, what+": "+key)
			w.ToolPos = b.r.Pos(v)
		case "tool_called_pattern":
			w.ToolCalledPattern, _ = b.r.Name(v, what+": "+key)
			w.PatternPos = b.r.Pos(v)
		case "any_tool_called":
			w.AnyToolCalled, _ = b.r.Bool(v, what+": "+key)
		case "min_tool_calls":
			w.MinToolCalls, _ = b.r.Int(v, what+": "+key, 0, math.MaxInt32)
		}
	})
	return w
}

// parts are the checks of a composition. Their order is that of the file.
type parts []*Compiled

func (p parts) nested() []*Compiled { return p }

// Needs is what all parts need together.
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

// judge runs the parts, the cheap ones before the dear. As soon as decided says that no further verdict changes
// anything, parts that would cost something are left out; the others are still told about. A part that was left out or
// did not apply is skipped in the result.
func (p parts) judge(ctx context.Context, s *Subject, decided func(result.Verdict) bool) ([]result.Verdict, error) {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return p[a].Needs().Dearness() - p[b].Needs().Dearness() })
	out := make([]result.Verdict, len(p))
	done, applied := false, 0
	for _, i := range order {
		if done && p[i].Needs().Dearness() > cheap {
			out[i] = result.Verdict{Type: p[i].Type, Status: result.Skipped, Skipped: true, SkipReason: "not needed"}
			continue
		}
		v := p[i].Judge(ctx, s)
		switch v.Status {
		case result.Passed, result.Failed:
			applied++
		case result.Skipped:
		default:
			if v.Status == result.Cancelled {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("%s: %s", partLabel(&v, p[i]), v.Error)
		}
		out[i] = v
		done = done || v.Status != result.Skipped && decided(v)
	}
	if applied == 0 {
		return nil, noneApplies(out)
	}
	return out, nil
}

// cheap is the dearness of checks that stay within the process.
const cheap = 1

func noneApplies(all []result.Verdict) error {
	reasons := make([]string, len(all))
	for i := range all {
		reasons[i] = all[i].Name() + ": " + all[i].SkipReason
	}
	return fmt.Errorf("%w: %s", ErrNotApplicable, listed(reasons, "; "))
}

// partLabel names a part: its message, if its author gave it one, and its type.
func partLabel(v *result.Verdict, part *Compiled) string {
	if v.Message != "" {
		return named(v.Message) + " (" + part.Type + ")"
	}
	return part.Type
}

// summary tells the verdicts that matter to the outcome, and puts all of them into details.
func (p parts) summary(all []result.Verdict, matters func(*result.Verdict) bool) (string, []map[string]any) {
	var texts []string
	details := make([]map[string]any, len(all))
	for i := range all {
		v := &all[i]
		details[i] = partDetails(v, p[i])
		if v.Status != result.Skipped && matters(v) {
			texts = append(texts, partLabel(v, p[i])+": "+v.Explanation)
		}
	}
	return listed(texts, "; "), details
}

func partDetails(v *result.Verdict, part *Compiled) map[string]any {
	d := map[string]any{"type": part.Type, "status": v.Status.String()}
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
