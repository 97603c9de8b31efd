package scenario

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/node"
)

// variableTypes are the types of variables that a prompt can declare.
var variableTypes = words("string", "number", "boolean", "object", "array")

// booleans are the boolean words of all YAML versions.
var booleans = []string{"true", "false", "yes", "no", "on", "off"}

// wantedType says what a value of the variable must be; "" when the value fits. A number may be a text, also in quotes.
// Values with placeholders are checked later.
func (v *Variable) wantedType(n *node.Node) string {
	if node.IsNull(n) || n.Kind == node.Scalar && holdsBraces(n.Value) {
		return ""
	}
	fits, want := true, ""
	switch v.Type {
	case "string":
		fits, want = n.Kind == node.Scalar, "text"
	case "number":
		_, err := strconv.ParseFloat(n.Value, 64)
		fits, want = n.Kind == node.Scalar && err == nil, "a number"
	case "boolean":
		fits, want = n.Kind == node.Scalar && contains(booleans, strings.ToLower(n.Value)), "true or false"
	case "object":
		fits, want = n.Kind == node.Map || isJSON(n, "{"), "a map"
	case "array":
		fits, want = n.Kind == node.List || isJSON(n, "["), "a list"
	}
	if fits {
		return ""
	}
	return want
}

// isJSON reports whether a text is JSON with this first character.
func isJSON(n *node.Node, begin string) bool {
	return n.Kind == node.Scalar && strings.HasPrefix(strings.TrimSpace(n.Value), begin) && json.Valid([]byte(n.Value))
}

// typedVariables compares the values of scenarios and the config with the types that prompts declare.
func (b *build) typedVariables() {
	for _, g := range b.given {
		if g.value == nil {
			continue
		}
		prompts := []*Prompt{g.prompt}
		if g.scenario != nil {
			if prompts, _ = b.p.PromptsFor(g.scenario); prompts == nil { // what is wrong with it is reported
				prompts = []*Prompt{nil}
			}
		}
		for _, prompt := range prompts {
			if !b.reported[g.pos] && (g.scenario != nil || g.prompt != nil) {
				b.typed(prompt, g)
			}
		}
	}
}

func (b *build) typed(prompt *Prompt, g givenVariable) {
	r := node.Reader{File: g.pos.File, Diags: b.l.diags}
	if node.IsNull(g.value) {
		b.reported[g.pos] = true
		b.l.diags.Errorf(g.pos, utf8.RuneCountInString(g.name), "empty-value", "the variable %q has no value", g.name).
			Hint = `give it one, or take the line out; for an empty text write ""`
		return
	}
	if prompt == nil {
		return
	}
	for i := range prompt.Variables {
		v := &prompt.Variables[i]
		if v.Name != g.name {
			continue
		}
		if want := v.wantedType(g.value); want != "" {
			r.Errorf(g.value, "wrong-variable", "the variable %q must be %s, found %s", g.name, want, shown(g.value)).
				Hint = "the prompt declares it at " + v.Pos.String()
		}
	}
}

// shown is a value in messages.
func shown(n *node.Node) string {
	switch n.Kind {
	case node.Map:
		return "a map"
	case node.List:
		return "a list"
	}
	return strconv.Quote(n.Value)
}
