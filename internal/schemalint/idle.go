package schemalint

import (
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/node"
)

// keywordTypes are the types of values that keywords of JSON Schema are about: any other value fits them.
var keywordTypes = sync.OnceValue(func() map[string][]string {
	of := map[string][]string{}
	for keywords, types := range map[string][]string{
		"contentEncoding contentMediaType contentSchema maxLength minLength pattern": {"string"},
		"exclusiveMaximum exclusiveMinimum maximum minimum multipleOf":               {"number", "integer"},
		`additionalItems contains items maxContains maxItems minContains minItems prefixItems unevaluatedItems
			uniqueItems`: {"array"},
		`additionalProperties dependencies dependentRequired dependentSchemas maxProperties minProperties
			patternProperties properties propertyNames required unevaluatedProperties`: {"object"},
	} {
		for keyword := range strings.FieldsSeq(keywords) {
			of[keyword] = types
		}
	}
	return of
})

// keywordNeeds are the keywords without which others do nothing.
var keywordNeeds = map[string][]string{
	"if": {"then", "else"}, "then": {"if"}, "else": {"if"}, "minContains": {"contains"}, "maxContains": {"contains"},
}

// numberFormats are the formats that OpenAPI has for numbers.
var numberFormats = []string{"double", "float", "int32", "int64"}

// idle warns of keywords without effect: those for values of another type than the schema's, and those whose companion
// keyword is missing.
func (d linter) idle(n *node.Node) {
	given := typesOf(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		types := keywordTypes()[k.Value]
		if k.Value == "format" && slices.Contains(schemaFormats(), v.Value) && !slices.Contains(numberFormats, v.Value) {
			types = []string{"string"}
		}
		partners := keywordNeeds[k.Value]
		stands := func(key string) bool { return node.Get(n, key) != nil }
		among := func(t string) bool { return slices.Contains(types, t) }
		switch {
		case types != nil && given != nil && !slices.ContainsFunc(given, among):
			d.r.Warnf(k, "idle-keyword", "%s: %q has no effect on type %s", d.what, k.Value, strings.Join(given, " or ")).
				Hint = "it needs type " + strings.Join(types, " or ") + "; any other value fits it"
		case partners != nil && !slices.ContainsFunc(partners, stands):
			d.r.Warnf(k, "idle-keyword", "%s: %q has no effect without %s", d.what, k.Value, strings.Join(partners, " or ")).
				Hint = "add " + strings.Join(partners, " or ") + " beside it, or take it out"
		case k.Value == "properties":
			d.tooDeep(v)
		}
	}
}

// untyped warns of a schema whose keywords are about one type of values and that does not ask for the type: every value
// of another type fits it.
func (d linter) untyped(n *node.Node) {
	if !d.anyValue || d.bans {
		return
	}
	typed := false
	eachForSameValue(n, func(s *node.Node) {
		for _, key := range []string{"type", "const", "enum", "$ref", "$dynamicRef", "$recursiveRef"} {
			typed = typed || node.Get(s, key) != nil
		}
		for i := 0; i < len(s.Content); i += 2 { // a type without the blank is told as such
			typed = typed || strings.HasPrefix(s.Content[i].Value, "type:")
		}
	})
	for i := 0; !typed && i+1 < len(n.Content); i += 2 {
		types := keywordTypes()[n.Content[i].Value]
		if len(types) == 0 {
			continue
		}
		d.r.Warnf(n.Content[i], "no-type",
			"%s: %q asks nothing of a value that is no %s: without a type any other fits", d.what,
			n.Content[i].Value, types[0]).Hint = "write type: " + types[0] + " beside it"
		return
	}
}

// tooDeep warns of keywords for an object that are among its properties.
func (d linter) tooDeep(properties *node.Node) {
	for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
		v := node.Get(properties, key)
		if v == nil || v.Kind != node.Scalar || v.Value != "true" && v.Value != "false" {
			continue
		}
		d.r.Warnf(v, "idle-keyword", "%s: %q below properties is the name of a property, and closes nothing", d.what, key).
			Hint = "put it beside properties, one level up"
	}
}

// typesOf are the types of a schema; nil if it has none or an invalid one.
func typesOf(n *node.Node) []string {
	v := node.Get(n, "type")
	if v == nil {
		return nil
	}
	list := v.Content
	if v.Kind == node.Scalar {
		list = []*node.Node{v}
	}
	var types []string
	for _, t := range list {
		if !slices.Contains(typeNames, t.Value) {
			return nil
		}
		types = append(types, t.Value)
	}
	return types
}
