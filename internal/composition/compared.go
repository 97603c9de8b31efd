package composition

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// declared is what is known of a value before a run. The zero value is a value that is not known at all.
type declared struct {
	types []string // of JSON Schema; nil: any
	enum  []any    // nil: any
	text  bool     // a model's text, as the step has no schema
}

// declaredAt returns what is known of the value of a reference. Outputs that do not fit their schema fail their step.
func (c *Composition) declaredAt(r reference) declared {
	if r.root == inputRoot {
		return declaredIn(c.InputSchema, r.path)
	}
	s, path := c.Step(r.root), r.path
	if s != nil && s.Kind == Parallel && s.Strategy == Barrier && len(path) >= 2 && path[0] == s.Into {
		at := slices.IndexFunc(s.Branches, func(b *Step) bool { return b.ID == path[1] })
		if at < 0 {
			return declared{}
		}
		s, path = s.Branches[at], path[2:]
	}
	switch {
	case s == nil || s.Kind != Prompt && s.Kind != Agent:
		return declared{}
	case s.Schema == nil && len(path) == 0:
		return declared{types: []string{"string"}, text: true}
	}
	return declaredIn(s.Schema, path)
}

// declaredIn reads what a schema says of the value at a path.
func declaredIn(schema json.RawMessage, path []string) (d declared) {
	for _, name := range path {
		var form struct {
			Type       any                        `json:"type"`
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if json.Unmarshal(schema, &form) != nil || form.Type != "object" || form.Properties[name] == nil {
			return d
		}
		schema = form.Properties[name]
	}
	var leaf struct {
		Type any    `json:"type"`
		Enum *[]any `json:"enum"`
		Ref  string `json:"$ref"`
	}
	decoder := json.NewDecoder(strings.NewReader(string(schema)))
	decoder.UseNumber()
	if decoder.Decode(&leaf) != nil || leaf.Ref != "" {
		return d
	}
	switch t := leaf.Type.(type) {
	case string:
		d.types = []string{t}
	case []any:
		for _, item := range t {
			name, _ := item.(string)
			d.types = append(d.types, name)
		}
	}
	if leaf.Enum != nil {
		d.enum = *leaf.Enum
	}
	return d
}

// canEqual reports whether a value can be equal to another one. Of null that is not known: a reference without a value
// counts as null.
func (d declared) canEqual(v any) bool {
	if v == nil {
		return true
	}
	if d.enum != nil && !slices.ContainsFunc(d.enum, func(item any) bool { return jsonvalue.Equal(item, v) }) {
		return false
	}
	return d.types == nil || slices.ContainsFunc(d.types, func(t string) bool { return isOfType(v, t) })
}

// isOfType reports whether a value is of a type of JSON Schema. A whole number may be written as 1.0.
func isOfType(v any, t string) bool {
	switch v.(type) {
	case string:
		return t == "string"
	case bool:
		return t == "boolean"
	case []any:
		return t == "array"
	case map[string]any:
		return t == "object"
	}
	return t == "number" || t == "integer"
}

// canBeNumber reports whether a value can be a number.
func (d declared) canBeNumber() bool {
	return d.types == nil || slices.Contains(d.types, "number") || slices.Contains(d.types, "integer")
}

// describe describes what is known of a value.
func (d declared) describe() string {
	switch {
	case d.text:
		return "text"
	case d.enum != nil:
		return "one of " + clip(jsonvalue.Compact(d.enum))
	}
	return "declared as " + strings.Join(d.types, " or ")
}

// compared checks a comparison against what is known of the value: one that cannot hold sends every trial the same way.
func (f *finder) compared(s *Step, p *Predicate) {
	r, err := parseSingle(p.Path)
	if err != nil || p.Exists != nil {
		return
	}
	d := f.c.declaredAt(r)
	if p.Op.IsOrder() && !d.canBeNumber() {
		hint := ""
		if d.text {
			hint = "give the step an output_schema of a number"
		}
		f.add(rulePredicate, s, "predicate", p.Path,
			fmt.Sprintf("%s is %s, and %s compares numbers", p.Path, d.describe(), p.Op), hint)
		return
	}
	hint := "compare it with a value that it can have"
	if d.text {
		hint = "compare it with text, in quotes, or give the step an output_schema"
	}
	values := []any{p.Value}
	switch p.Op {
	case Equals, NotEquals:
	case In, NotIn:
		values, _ = p.Value.([]any)
	case Less, LessOrSame, Greater, GreaterOrSame:
		return
	}
	for _, v := range values {
		if text, _ := v.(string); strings.Contains(text, "{{") || strings.Contains(text, "${") || d.canEqual(v) {
			continue
		}
		f.doubt(rulePredicate, s, "predicate", p.Path,
			fmt.Sprintf("%s is %s, and never equals %s", p.Path, d.describe(), clip(jsonvalue.Compact(v))), hint)
	}
}
