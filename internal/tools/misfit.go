package tools

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/say"
)

// Misfit says why no argument that the schema of a tool takes can equal a value by its text: its type, or its list of
// values. It is "" where one may, and where the schema leaves it open.
func (r *Registry) Misfit(tool, argument string, v any) string {
	return misfit(r.byName[tool].property(argument), v, isEqual)
}

// Refuses says why the schema of a tool does not take a value, as Misfit does. A listed text in another case is taken.
func (r *Registry) Refuses(tool, argument string, v any) string {
	return misfit(r.byName[tool].property(argument), v, isTaken)
}

// Unmatched says why no argument that the schema of a tool takes can match a pattern, as Misfit does.
func (r *Registry) Unmatched(tool, argument string, p *regexp.Regexp) string {
	return unmatched(r.byName[tool].property(argument), p)
}

// Misfit is that of a Registry.
func (b *Box) Misfit(tool, argument string, v any) string {
	return misfit(b.tool(tool).property(argument), v, isEqual)
}

// Unmatched is that of a Registry.
func (b *Box) Unmatched(tool, argument string, p *regexp.Regexp) string {
	return unmatched(b.tool(tool).property(argument), p)
}

// Required are the arguments that the schema of a tool asks for in every call.
func (r *Registry) Required(tool string) (names []string) {
	t := r.byName[tool]
	if t == nil || t.input == nil {
		return nil
	}
	list, _ := t.input.doc["required"].([]any)
	for _, item := range list {
		if name, ok := item.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// property is the schema of an argument; nil: none, or the schema around it may change it.
func (t *tool) property(name string) map[string]any {
	if t == nil || t.input == nil || composed(t.input.doc) {
		return nil
	}
	properties, _ := t.input.doc["properties"].(map[string]any)
	schema, _ := properties[name].(map[string]any)
	return schema
}

// composed reports whether a schema has further rules elsewhere.
func composed(schema map[string]any) bool {
	for _, key := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "not"} {
		if _, there := schema[key]; there {
			return true
		}
	}
	return false
}

func misfit(schema map[string]any, v any, same func(one, v any) bool) string {
	if schema == nil || v == nil || composed(schema) { // models leave arguments out by null
		return ""
	}
	if values := listed(schema); values != nil && !slices.ContainsFunc(values,
		func(one any) bool { return same(one, v) }) {
		return fmt.Sprintf("must be %s, and not %s", oneOf(values), quoted(v))
	}
	kinds := kindsOf(schema)
	if kinds != nil && !slices.ContainsFunc(kinds, func(kind string) bool { return mayBe(v, kind) }) {
		return fmt.Sprintf("must be %s, and not %s", strings.Join(kinds, " or "), quoted(v))
	}
	switch v := v.(type) {
	case []any:
		items, _ := schema["items"].(map[string]any)
		for i, one := range v {
			if why := misfit(items, one, same); why != "" {
				return fmt.Sprintf("item %d %s", i+1, why)
			}
		}
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner, _ := properties[name].(map[string]any)
			if why := misfit(inner, v[name], same); why != "" {
				return name + " " + why
			}
		}
	}
	return ""
}

func unmatched(schema map[string]any, p *regexp.Regexp) string {
	values := listed(schema)
	if values == nil && slices.Equal(kindsOf(schema), []string{"boolean"}) {
		values = []any{true, false}
	}
	if values == nil || composed(schema) ||
		slices.ContainsFunc(values, func(one any) bool { return p.MatchString(jsonvalue.Text(one)) }) {
		return ""
	}
	return fmt.Sprintf("must be %s, which does not match %s", oneOf(values), say.Quote(p.String()))
}

// listed are the only values that a schema takes; nil: it does not list them.
func listed(schema map[string]any) []any {
	if only, there := schema["const"]; there {
		return []any{only}
	}
	values, _ := schema["enum"].([]any)
	return values
}

// isEqual reports whether a listed value has the text of v. One in another case is another value: calls are repaired.
func isEqual(one, v any) bool { return jsonvalue.EqualTexts(v, one) }

// isTaken is isEqual for a value that is repaired, so that case does not matter.
func isTaken(one, v any) bool {
	text, ok := one.(string)
	return isEqual(one, v) || ok && strings.EqualFold(text, jsonvalue.Text(v))
}

// kindsOf are the types that a schema takes; nil: any.
func kindsOf(schema map[string]any) (kinds []string) {
	switch t := schema["type"].(type) {
	case string:
		return []string{t}
	case []any:
		for _, one := range t {
			kind, _ := one.(string)
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// mayBe reports whether a value of this type can have the text of v.
func mayBe(v any, kind string) bool {
	switch v.(type) {
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	text := jsonvalue.Text(v)
	switch kind {
	case "string":
		return true
	case "boolean":
		return text == "true" || text == "false"
	case "number":
		return isNumber(text)
	case "integer":
		n, err := strconv.ParseFloat(text, 64)
		return isNumber(text) && (err != nil || n == math.Trunc(n)) // too large for it: an integer
	}
	return false
}

func oneOf(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = quoted(v)
	}
	return say.Listed(texts, " or ")
}

func quoted(v any) string {
	return shorten(jsonvalue.Compact(v))
}
