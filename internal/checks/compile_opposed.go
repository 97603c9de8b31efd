package checks

import (
	"maps"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// An any_of with a check and its opposite always passes.

// claim is what a check requires, in one form for all ways to write it. The zero value equals no other claim.
type claim struct {
	of     string // check and parameters
	denied bool   // the check requires that it does not hold
	as     string // the check as written
}

// denials maps checks of a list that require the opposite of another check: its name, and the list's parameter.
var denials = map[string][2]string{
	"content_excludes":  {"contains", "patterns"},
	"agent_not_invoked": {"agent_invoked", "agent_names"},
}

// ofOne maps checks of lists to checks that are the same for a list with one entry.
var ofOne = map[string]string{"contains_any": "contains"}

// claimOf is the claim of a check without conditions and thresholds; the zero value for other checks.
func claimOf(spec *scenario.Check) claim {
	if spec.When != nil || spec.MinScore != nil || spec.MaxScore != nil {
		return claim{}
	}
	def, known := Lookup(spec.Type)
	if !known {
		return claim{}
	}
	body := spec.Params
	for _, key := range []string{"min_score", "max_score", "when"} {
		if node.Get(body, key) != nil {
			return claim{}
		}
	}
	var problems diag.List
	r := &node.Reader{File: spec.Pos.File, Diags: &problems, Lenient: true}
	if def == notDef {
		within := scenario.ReadNested(r, node.Get(body, "check"), "check", false)
		if within == nil {
			return claim{}
		}
		c := claimOf(&within.Check)
		c.denied, c.as = !c.denied, spec.Type
		return c
	}
	b := &binder{r: r, def: def, name: spec.Type, read: map[string]*node.Node{}, body: body}
	params := b.canonical(def.layout())
	name, denied := asserted(def, params)
	return claim{of: name + " " + jsonvalue.Compact(params), denied: denied, as: spec.Type}
}

// asserted returns the check that a check is or denies. It removes the parameters that make it a denial.
func asserted(def *Def, params map[string]any) (name string, denied bool) {
	for _, key := range []string{"expect_match", "expect", "should_trigger"} {
		if given, ok := params[key].(bool); ok {
			delete(params, key)
			return def.Name, !given
		}
	}
	name = def.Name
	other, denies := denials[name]
	list := other[1]
	if !denies {
		list = "patterns"
	}
	switch texts := params[list].(type) {
	case string:
		params[list] = []any{texts}
	case []any:
		if len(texts) != 1 {
			return name, false
		}
	default:
		return name, false
	}
	switch {
	case denies:
		maps.DeleteFunc(params, func(key string, _ any) bool { return key != list && key != "case_sensitive" })
		return other[0], true
	case ofOne[name] != "":
		return ofOne[name], false
	}
	return name, false
}

// opposed returns the first two checks of which one is the opposite of the other; "": none.
func opposed(all []nestedCheck) (one, other string) {
	for i := range all {
		for j := range i {
			a, b := all[j].claim, all[i].claim
			if a.of != "" && a.of == b.of && a.denied != b.denied {
				return a.as, b.as
			}
		}
	}
	return "", ""
}
