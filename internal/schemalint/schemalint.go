package schemalint

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// keywords of all drafts of JSON Schema. An unknown one is allowed in a schema and does nothing, which makes typing
// mistakes costly.
var keywords = sync.OnceValue(func() []string {
	return strings.Fields(`
		$anchor $comment $defs $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema $vocabulary
		additionalItems additionalProperties allOf anyOf const contains contentEncoding contentMediaType
		contentSchema default definitions dependencies dependentRequired dependentSchemas deprecated description else
		enum examples exclusiveMaximum exclusiveMinimum format id if items maxContains maximum maxItems maxLength
		maxProperties minContains minimum minItems minLength minProperties multipleOf not oneOf pattern
		patternProperties prefixItems properties propertyNames readOnly required then title type unevaluatedItems
		unevaluatedProperties uniqueItems writeOnly`)
})

// Warn warns of probable mistakes in a JSON Schema: unknown keywords, misspelled formats, properties outside
// properties, required ones that are not listed, keywords without effect, and patterns that match other texts than they
// seem to.
func Warn(r *node.Reader, n *node.Node, what string) {
	linter{r: r, what: what, refs: refsOf(n)}.at(n, nil)
}

// WarnReply is Warn for the schema of a reply, which may be any value: it also warns of keywords that ignore values of
// other types. bans: replies that fit the schema are forbidden.
func WarnReply(r *node.Reader, n *node.Node, what string, bans bool) {
	linter{r: r, what: what, refs: refsOf(n), bans: bans, anyValue: true, present: true}.at(n, nil)
}

type linter struct {
	r        *node.Reader
	what     string
	bans     bool
	anyValue bool            // the values may be of any type
	present  bool            // the value must be there: the whole of what must fit, its entries, what it requires
	refs     map[string]bool // the names that references go through
}

// refsOf are the names on the way to what the references in a schema lead to: schemas may be kept below any key.
func refsOf(n *node.Node) map[string]bool {
	names := map[string]bool{}
	var visit func(*node.Node)
	visit = func(n *node.Node) {
		if ref := node.Get(n, "$ref"); ref != nil {
			_, path, _ := strings.Cut(ref.Value, "#/")
			for name := range strings.SplitSeq(path, "/") {
				names[name] = true
			}
		}
		for _, item := range n.Content {
			visit(item)
		}
	}
	if n != nil {
		visit(n)
	}
	return names
}

// at checks a schema. listed are the properties that other schemas list for the same value; nil: this is the first.
func (d linter) at(n *node.Node, listed map[string]bool) {
	if n == nil || n.Kind != node.Map {
		return
	}
	d.empty(n)
	if listed == nil {
		listed = map[string]bool{}
		if open := listProperties(n, listed); !open {
			d.required(n, listed)
		}
		d.untyped(n)
		d.optional(n)
	}
	d.idle(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch k.Value {
		case "const", "default", "dependentRequired", "discriminator", "enum", "example", "examples", "externalDocs",
			"required", "xml", "$vocabulary": // values, not schemas
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
			inner := d
			inner.anyValue = d.anyValue && strings.HasSuffix(strings.ToLower(k.Value), "properties")
			for j := 1; v.Kind == node.Map && j < len(v.Content); j += 2 {
				if k.Value == "patternProperties" {
					d.pattern(v.Content[j-1])
				}
				inner.present = d.present && k.Value == "properties" && requires(n, v.Content[j-1].Value)
				inner.at(v.Content[j], nil)
			}
		default:
			d.keyword(n, k, v)
			if !slices.Contains(keywords(), k.Value) && !describesValue(v) {
				continue // what an unknown keyword holds is no schema
			}
			of := listed
			if !slices.Contains(sameValue, k.Value) {
				of = nil
			}
			d := d
			d.bans = d.bans != (k.Value == "not")
			d.anyValue = d.anyValue && k.Value != "propertyNames"
			d.present = d.present && k.Value == "items"
			d.at(v, of)
			for _, item := range v.Content {
				if v.Kind == node.List {
					d.at(item, of)
				}
			}
		}
	}
}

// keyword looks at a keyword of the schema n.
func (d linter) keyword(n, k, v *node.Node) {
	switch k.Value {
	case "format":
		d.format(v)
	case "pattern":
		d.pattern(v)
		if v.Kind == node.Scalar && !d.bans && asksNothing(v.Value) {
			d.r.Warnf(v, "asks-nothing", "%s: pattern %q matches every text, for it can match nothing at all", d.what, v.Value).
				Hint = "write what must be there: x+ in place of x*, and no | at an end"
		}
	}
	if slices.Contains([]string{"$id", "id"}, k.Value) && describesValue(v) {
		d.r.Warnf(k, "unknown-keyword", "%s: %q stands where a keyword does, and asks for nothing", d.what, k.Value).Hint =
			"properties go below properties: {" + k.Value + ": …}"
		return
	}
	if slices.Contains(keywords(), k.Value) || slices.Contains(annotations, k.Value) || strings.HasPrefix(k.Value, "x-") ||
		d.refs[k.Value] {
		return
	}
	d.r.Warnf(k, "unknown-keyword", "%s: %q is not a JSON Schema keyword and has no effect", d.what, k.Value).Hint =
		keywordHint(n, k, v)
}

// annotations are keywords of OpenAPI, providers, editors and forms that ask nothing of a value, and that schemas have
// for readers.
var annotations = []string{
	"deprecationMessage", "discriminator", "enumDescriptions", "enumNames", "errorMessage", "example", "externalDocs",
	"markdownDescription", "nullable", "propertyOrdering", "xml",
}

// keywordHint says what to write in place of an unknown keyword of the schema n.
func keywordHint(n, k, v *node.Node) string {
	if name, rest, ok := strings.Cut(k.Value, ":"); ok && rest != "" {
		if slices.Contains(keywords(), name) {
			return "a blank is missing after the colon: " + name + ": " + rest
		}
	}
	if hint := diag.DidYouMean(k.Value, keywords()); hint != "" {
		return hint
	}
	if describesValue(v) || v.Kind == node.Scalar && slices.Contains(typeNames, v.Value) {
		return "properties go below properties: {" + k.Value + ": …}"
	}
	if meant := meantKeyword(n, k.Value); meant != "" {
		return "did you mean \"" + meant + "\"?"
	}
	return "take it out, or begin its name with x- if it is only for readers"
}

// typeNames are the types that values have in JSON Schema.
var typeNames = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// meantKeyword is the keyword for a word of another notation; "": none.
func meantKeyword(n *node.Node, word string) string {
	most, least := "maximum", "minimum"
	if types := typesOf(n); len(types) == 1 {
		switch types[0] {
		case "string":
			most, least = "maxLength", "minLength"
		case "array":
			most, least = "maxItems", "minItems"
		case "object":
			most, least = "maxProperties", "minProperties"
		}
	}
	switch strings.ToLower(strings.ReplaceAll(word, "_", "")) {
	case "max", "maxvalue", "lte", "le", "atmost":
		return most
	case "min", "minvalue", "gte", "ge", "atleast":
		return least
	case "lt", "lessthan", "below":
		return "exclusiveMaximum"
	case "gt", "greaterthan", "above":
		return "exclusiveMinimum"
	case "regex", "regexp", "match", "matches":
		return "pattern"
	case "values", "choices", "allowed", "options", "oneof", "in":
		return "enum"
	case "value", "equals", "is":
		return "const"
	case "mandatory", "musthave", "keys":
		return "required"
	case "strict", "extra", "closed":
		return "additionalProperties"
	}
	return ""
}

// pattern warns of a pattern that matches other texts than it seems to.
func (d linter) pattern(v *node.Node) {
	o := node.DoubtPattern(v.Value)
	if o == (node.Oddity{}) {
		o = node.OddPattern(v.Value)
	}
	if o == (node.Oddity{}) && d.bans {
		o = node.DoubtBan(v.Value)
	}
	if v.Kind == node.Scalar && o != (node.Oddity{}) {
		d.r.Warnf(v, "looks-like-slip", "%s: pattern %q %s", d.what, v.Value, o.Text).Hint = o.Hint
	}
}

// describesValue reports whether a value is certainly meant as a schema.
func describesValue(v *node.Node) bool {
	return v.Kind == node.Map && slices.ContainsFunc([]string{"type", "properties", "enum", "$ref", "anyOf", "oneOf"},
		func(key string) bool { return node.Get(v, key) != nil })
}

// schemaFormats are those of JSON Schema, and those that OpenAPI adds.
var schemaFormats = sync.OnceValue(func() []string {
	return strings.Fields(`
		binary byte date date-time double duration email float hostname idn-email idn-hostname int32 int64 ipv4 ipv6 iri
		iri-reference json-pointer password regex relative-json-pointer time uri uri-reference uri-template uuid`)
})

// format warns of a format that is empty or resembles a known one: an unknown one holds for every text.
func (d linter) format(v *node.Node) {
	if v.Kind != node.Scalar || slices.Contains(schemaFormats(), v.Value) {
		return
	}
	if strings.TrimSpace(v.Value) == "" {
		d.r.Warnf(v, "unknown-keyword", "%s: the format is empty, so any text fits it", d.what).Hint =
			"write a format, such as email, or take it out"
		return
	}
	if hint := diag.DidYouMean(v.Value, schemaFormats()); hint != "" {
		d.r.Warnf(v, "unknown-keyword", "%s: %q is not a JSON Schema format, so any text fits it", d.what, v.Value).
			Hint = hint
	}
}

// sameValue are the keywords whose schemas apply to the same value.
var sameValue = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else"}

// eachForSameValue visits n and the schemas that apply to the same value.
func eachForSameValue(n *node.Node, visit func(*node.Node)) {
	if n == nil || n.Kind != node.Map {
		return
	}
	visit(n)
	for _, key := range sameValue {
		v := node.Get(n, key)
		eachForSameValue(v, visit)
		if v != nil && v.Kind == node.List {
			for _, item := range v.Content {
				eachForSameValue(item, visit)
			}
		}
	}
}

// listProperties adds the properties of all schemas for a value, and returns whether it may have others.
func listProperties(n *node.Node, listed map[string]bool) (open bool) {
	there := false
	eachForSameValue(n, func(s *node.Node) {
		for _, key := range []string{
			"$ref", "$dynamicRef", "patternProperties", "additionalProperties", "unevaluatedProperties", "dependentSchemas",
			"dependencies",
		} {
			if v := node.Get(s, key); v != nil && !(v.Kind == node.Scalar && v.Value == "false") {
				open = true
			}
		}
		if list := node.Get(s, "properties"); list != nil && list.Kind == node.Map {
			there = true
			for i := 0; i+1 < len(list.Content); i += 2 {
				listed[list.Content[i].Value] = true
			}
		}
	})
	return open || !there
}

// required warns of required names that resemble a listed property, or that nothing allows. Conditions and negations
// need no list.
func (d linter) required(n *node.Node, listed map[string]bool) {
	asked, closed := map[string]bool{}, false
	var names []*node.Node
	eachAlways(n, func(s *node.Node) {
		for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
			v := node.Get(s, key)
			closed = closed || v != nil && v.Kind == node.Scalar && v.Value == "false"
		}
		list := node.Get(s, "required")
		if list == nil || list.Kind != node.List {
			return
		}
		for _, name := range list.Content {
			if name.Kind == node.Scalar {
				names, asked[name.Value] = append(names, name), true
			}
		}
	})
	for _, name := range names {
		if listed[name.Value] {
			continue
		}
		hint := diag.DidYouMean(name.Value, onlyIn(listed, asked))
		if hint == "" && !closed {
			continue
		}
		if hint == "" {
			hint = "list it under properties; additionalProperties: false allows no others"
		}
		d.r.Warnf(name, "unlisted-property", "%s: required names %q, which properties does not list", d.what,
			name.Value).Hint = hint
	}
}

// eachAlways visits n and the schemas that always apply to the same value.
func eachAlways(n *node.Node, visit func(*node.Node)) {
	if n == nil || n.Kind != node.Map {
		return
	}
	visit(n)
	if all := node.Get(n, "allOf"); all != nil && all.Kind == node.List {
		for _, item := range all.Content {
			eachAlways(item, visit)
		}
	}
}

// onlyIn lists, sorted, the names of one set that another lacks.
func onlyIn(names, lacking map[string]bool) []string {
	var rest []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !lacking[name] {
			rest = append(rest, name)
		}
	}
	return rest
}
