package scenario

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// validatorFields are the keys of a guardrail.
var validatorFields = table("a validator", func() rows[Validator] {
	return rows[Validator]{
		checkType(func(v *Validator) *Check { return &v.Check }),
		checkParams(func(v *Validator) *Check { return &v.Check }),
		str("message", func(v *Validator) *string { return &v.Message }).
			doc("What takes the place of a reply that is refused."),
		flag("enabled", func(v *Validator) *bool { return &v.Enabled }).doc("false switches it off, and it judges nothing."),
		flag("fail_on_violation", func(v *Validator) *bool { return &v.FailOnViolation }).
			doc("false only records what it finds."),
		share(minScore.Name, func(v *Validator) (**float64, *diag.Pos) { return &v.MinScore, &v.MinAt }).doc(minScore.Doc),
		share(maxScore.Name, func(v *Validator) (**float64, *diag.Pos) { return &v.MaxScore, &v.MaxAt }).doc(maxScore.Doc),
		gone[Validator]("direction", "direction is one of the params", "write params: {direction: …}"),
	}
}).strays(func(key string) string {
	return belowParams(key, "type", "params", "message", "enabled", "fail_on_violation", "min_score", "max_score")
})

func readValidators(d *decoder, p *promptFile, v *node.Node) {
	d.Items(v, "validators", func(_ int, item *node.Node) {
		if g := d.validator(item); g != nil {
			p.Validators = append(p.Validators, g)
		}
	})
}

// validator reads one guardrail; nil after a problem.
func (d *decoder) validator(n *node.Node) *Validator {
	g := &Validator{Enabled: true, FailOnViolation: true, Direction: "output"}
	if !validatorFields.read(d, n, g) {
		return nil
	}
	if v := node.Get(n, "fail_on_violation"); v != nil && g.FailOnViolation {
		g.EnforcedAt = d.Pos(v)
	}
	// The direction is one of the params; in the long spelling it is one of the nested params. An invalid one is
	// reported when the check is compiled.
	for _, params := range []*node.Node{g.Params, node.Get(g.Params, "eval_params")} {
		if v := node.Get(params, "direction"); v != nil {
			g.Direction = v.Value
		}
	}
	d.finish(&g.Check, Guardrail)
	return g
}
