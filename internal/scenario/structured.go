package scenario

import (
	"maps"
	"strings"

	"github.com/arena-evals/arena/internal/node"
)

// shownParams are the parameters that a judge or a person reads. A list in such a text is allowed.
var shownParams = words(
	"criteria", "criterion", "pass", "pass_definition", "fail", "fail_definition", "rubric", "system_prompt", "question",
	"agent_role", "message",
)

// ValuesOf returns the values of the placeholders in the checks of a conversation, without those of a variant. prompt
// may be nil.
func ValuesOf(prompt *Prompt, s *Scenario, region string) *Values {
	vars := Known(prompt, s, region)
	v := &Values{Vars: vars, Shapes: shapesOf(prompt, s, vars), row: s.Row, Empty: prompt.unvalued(vars)}
	if s.Row != nil {
		v.fields = s.Dataset.Fields()
		v.templates() // once for all copies by With
	}
	return v
}

// With adds the values of a variant.
func (v *Values) With(singles map[string]string) *Values {
	return &Values{Vars: v.Vars, Shapes: v.Shapes, Singles: singles, row: v.row, fields: v.fields, marked: v.marked,
		Empty: v.Empty}
}

// structureOf is "a list" or "a map"; "" for a text.
func structureOf(n *node.Node) string {
	if n == nil || n.Kind == node.Scalar {
		return ""
	}
	return shown(n)
}

// noteShape adds the shape of a value that is not a text.
func (g *givenVariable) noteShape(all map[string]string) map[string]string {
	shape := structureOf(g.value)
	if shape == "" {
		return all
	}
	if all == nil {
		all = map[string]string{}
	}
	all[g.name] = shape
	return all
}

// shapesOf are the shapes of variables that are lists or maps, or declared as such and written as JSON.
func shapesOf(prompt *Prompt, s *Scenario, vars map[string]string) map[string]string {
	all := map[string]string{}
	over := func(values, shapes map[string]string) {
		if len(all) > 0 {
			maps.DeleteFunc(all, func(name, _ string) bool { _, given := values[name]; return given })
		}
		maps.Copy(all, shapes)
	}
	if prompt != nil {
		for i := range prompt.Variables {
			if v := &prompt.Variables[i]; v.Shape != "" {
				all[v.Name] = v.Shape
			}
		}
		over(prompt.Vars, prompt.Shapes)
	}
	over(s.Variables, s.Shapes)
	if prompt != nil {
		for i := range prompt.Variables {
			v := &prompt.Variables[i]
			switch text := (&node.Node{Kind: node.Scalar, Value: vars[v.Name]}); {
			case v.Type == "array" && isJSON(text, "["):
				all[v.Name] = "a list"
			case v.Type == "object" && isJSON(text, "{"):
				all[v.Name] = "a map"
			}
		}
	}
	s.rowShapes(all)
	return all
}

// structured finds placeholders whose value is a list or a map. Replies do not contain such JSON, so a ban would always
// pass. In a text for readers it is allowed.
func (v *Values) structured(text string, read bool) []placeholderFault {
	if len(v.Shapes) == 0 || !holdsBraces(text) || read && !aPlaceholder(strings.TrimSpace(text)) {
		return nil
	}
	plain := maps.Clone(v.templates())
	maps.DeleteFunc(plain, func(name, _ string) bool { return v.Shapes[name] != "" })
	for _, name := range Placeholders(expand(Substitute(text, v.Singles), plain)) {
		if shape := v.Shapes[name]; shape != "" {
			return []placeholderFault{{
				code: "structured-value", name: name,
				msg:  "{{" + name + "}} is " + shape + ", and its JSON would be taken as one text: " + short(v.Vars[name]),
				hint: "write its entries out here, or give each a variable of its own with a text",
			}}
		}
	}
	return nil
}
