package schemalint

import (
	"slices"

	"github.com/arena-evals/arena/internal/node"
)

// asksOfObjects are the keywords by which a schema asks something of an object without the properties that it lists, or
// may do so.
var asksOfObjects = []string{
	"$dynamicRef", "$recursiveRef", "$ref", "allOf", "anyOf", "const", "dependencies", "dependentRequired",
	"dependentSchemas", "else", "enum", "if", "minProperties", "not", "oneOf", "patternProperties", "propertyNames",
	"required", "then", "unevaluatedProperties",
}

// optional warns of a schema with properties of which none is required: an empty object fits it.
func (d linter) optional(n *node.Node) {
	at, listed := node.Get(n, "properties"), node.KeyOf(n, "properties")
	if !d.present || d.bans || at == nil || at.Kind != node.Map || len(at.Content) == 0 {
		return
	}
	asks := func(key string) bool { return node.Get(n, key) != nil }
	if slices.ContainsFunc(asksOfObjects, asks) {
		return
	}
	if more := node.Get(n, "additionalProperties"); more != nil && (more.Kind != node.Scalar || more.Value == "false") {
		return
	}
	for i := 1; i < len(at.Content); i += 2 {
		if node.Get(at.Content[i], "required") != nil && at.Content[i].Kind == node.Map &&
			node.Get(at.Content[i], "required").Kind == node.Scalar {
			return // required: true in a property is told already
		}
	}
	d.r.Warnf(listed, "all-optional", "%s: nothing is required, so an object without any of the properties fits it",
		d.what).Hint = "add required: [" + at.Content[0].Value + "], or additionalProperties: false"
}

// requires reports whether a schema requires a property.
func requires(n *node.Node, name string) bool {
	list := node.Get(n, "required")
	return list != nil && slices.ContainsFunc(list.Content, func(r *node.Node) bool { return r.Value == name })
}
