package scenario

import (
	"strings"

	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// predicateFile is a predicate as written in a file.
type predicateFile struct {
	composition.Predicate
	all, any, not *node.Node
}

// predicateFields are the keys of all forms of predicates.
func predicateFields() *fields[predicateFile] {
	ops := make(keys.Words, len(composition.Ops))
	for i, op := range composition.Ops {
		ops[i] = string(op)
	}
	return part("a predicate",
		label("path", func(p *predicateFile) *string { return &p.Path }).
			doc("The value to look at, such as an output of a step."),
		custom("op", ops, func(d *decoder, p *predicateFile, v *node.Node) {
			op, _ := d.OneOf(v, "op", ops...)
			p.Op = composition.Op(op)
		}).doc("How it is compared."),
		custom("value", foreign, func(d *decoder, p *predicateFile, v *node.Node) { p.Value = d.value(v, "value") }).orNull().
			doc("With what it is compared."),
		flagPtr("exists", func(p *predicateFile) **bool { return &p.Exists }).doc("Whether the value must be there."),
		custom("all_of", listOf(closer), func(_ *decoder, p *predicateFile, v *node.Node) { p.all = v }).
			doc("Predicates that must all hold."),
		custom("any_of", listOf(closer), func(_ *decoder, p *predicateFile, v *node.Node) { p.any = v }).
			doc("Predicates of which one must hold."),
		custom("not", closer, func(_ *decoder, p *predicateFile, v *node.Node) { p.not = v }).
			doc("A predicate that must not hold."),
	)
}

// maxPredicate is the maximum depth of nested predicates.
const maxPredicate = 100

// predicate reads a predicate, which has exactly one form; nil after an error.
func (d *decoder) predicate(v *node.Node) *composition.Predicate { return d.predicateAt(v, 1) }

func (d *decoder) predicateAt(v *node.Node, depth int) *composition.Predicate {
	if depth > maxPredicate {
		d.Errorf(v, "too-deep", "predicates are nested more than %d levels deep", maxPredicate)
		return nil
	}
	var p predicateFile
	before := d.Diags.Errors()
	if !predicateFields().read(d, v, &p) || d.Diags.Errors() > before || !d.oneForm(v) {
		return nil
	}
	list := func(n *node.Node, what string) (all []*composition.Predicate) {
		if n == nil {
			return nil
		}
		d.Items(n, what, func(_ int, item *node.Node) { all = append(all, d.predicateAt(item, depth+1)) })
		if n.Kind == node.List && len(n.Content) == 0 {
			d.Errorf(n, "empty-value", "%s has no predicates", what)
		}
		return all
	}
	p.All, p.Any = list(p.all, "all_of"), list(p.any, "any_of")
	if p.not != nil {
		p.Not = d.predicateAt(p.not, depth+1)
	}
	if d.Diags.Errors() > before {
		return nil
	}
	return &p.Predicate
}

// oneForm reports a predicate with no form, an incomplete one, or several.
func (d *decoder) oneForm(v *node.Node) bool {
	has := func(key string) bool { return node.Get(v, key) != nil }
	var forms []string
	for _, key := range []string{"op", "exists", "all_of", "any_of", "not"} {
		if has(key) {
			forms = append(forms, key)
		}
	}
	const how = "write {path: …, op: equals, value: …}, {path: …, exists: true}, {all_of: […]}, {any_of: […]} or " +
		"{not: {…}}"
	switch compares := has("op") || has("exists"); {
	case len(forms) > 1:
		d.Errorf(v, "field-conflict", "a predicate has exactly one form, and this one has %s", strings.Join(forms, " and ")).
			Hint = how
	case len(forms) == 0 && has("path"):
		d.Missing(v, "a predicate with path", "op and no exists").Hint = how
	case len(forms) == 0:
		d.Missing(v, "a predicate", "op, exists, all_of, any_of or not").Hint = how
	case compares && !has("path"):
		d.Missing(v, "a predicate with "+forms[0], "path").Hint = "name what is looked at: path: ${input.NAME}"
	case has("op") && !has("value"):
		d.Missing(v, "a predicate with op", "value")
	case !compares && has("path"):
		d.Errorf(node.Get(v, "path"), "field-conflict", "a predicate with %s takes no path", forms[0]).Hint = how
	case !has("op") && has("value"):
		d.Errorf(node.Get(v, "value"), "field-conflict", "a predicate with %s takes no value", forms[0]).Hint = how
	default:
		return true
	}
	return false
}
