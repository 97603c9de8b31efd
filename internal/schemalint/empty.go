package schemalint

import (
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/node"
)

// empty warns of parts of a schema that ask for nothing: names of properties that no value has, definitions that
// nothing uses, and empty alternatives.
func (d linter) empty(n *node.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch k.Value {
		case "properties":
			d.propertyNames(v)
		case "definitions", "$defs":
			if len(d.refs) == 0 && node.Get(n, "properties") == nil && v.Kind == node.Map && len(v.Content) > 0 {
				d.r.Warnf(k, "idle-keyword", "%s: no $ref uses what is below %q, which asks for nothing", d.what, k.Value).Hint =
					"properties of the value go below properties"
			}
		case "anyOf":
			if at := slices.IndexFunc(v.Content, isEmptySchema); v.Kind == node.List && at >= 0 && !d.bans {
				d.r.Warnf(v.Content[at], "idle-keyword", "%s: an empty alternative fits every value, and so does anyOf", d.what).
					Hint = "write what the value may be instead, or take anyOf out"
			}
		case "allOf":
			if v.Kind == node.List && len(v.Content) > 0 && !slices.ContainsFunc(v.Content, isAskingSchema) && !d.bans {
				d.r.Warnf(v, "idle-keyword", "%s: allOf holds nothing but empty schemas, and asks for nothing", d.what).Hint =
					"write what is asked of the value, or take allOf out"
			}
		case "enum", "const":
			d.bannedValues(v)
		}
	}
}

func isEmptySchema(n *node.Node) bool { return n.Kind == node.Map && len(n.Content) == 0 }

func isAskingSchema(n *node.Node) bool { return !isEmptySchema(n) }

// propertyNames warns of names with signs that nobody sees.
func (d linter) propertyNames(v *node.Node) {
	for i := 0; v.Kind == node.Map && i+1 < len(v.Content); i += 2 {
		k := v.Content[i]
		if o := node.OddText(k.Value, false); o != (node.Oddity{}) {
			d.r.Warnf(k, "odd-name", "%s: the property %q %s", d.what, k.Value, o.Text).Hint = "write the name in plain letters"
		} else if bare := strings.TrimSpace(k.Value); bare != k.Value && bare != "" {
			d.r.Warnf(k, "odd-name", "%s: the property %q has white space around it", d.what, k.Value).Hint = "write " + bare
		} else if n := len(k.Value); n > 2 && strings.ContainsRune("\"'", rune(k.Value[0])) && k.Value[0] == k.Value[n-1] {
			d.r.Warnf(k, "odd-name", "%s: the property %s has quotes in its name", d.what, k.Value).Hint = "write " +
				k.Value[1:n-1]
		}
	}
}

// bannedValues warns of slips in values that must not be.
func (d linter) bannedValues(v *node.Node) {
	values := []*node.Node{v}
	if v.Kind == node.List {
		values = v.Content
	}
	for _, value := range values {
		if !d.bans || value.Kind != node.Scalar || value.ShortTag() != "!!str" {
			continue
		}
		if o := node.DoubtValue(value); o != (node.Oddity{}) {
			d.r.Warnf(value, "looks-like-slip", "%s: %q %s", d.what, value.Value, o.Text).Hint = o.Hint
		}
	}
}

// asksNothing reports whether a pattern matches every text by mistake: B* and B|, but not .* and the empty one.
func asksNothing(pattern string) bool {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	return err == nil && node.MatchesAll(tree) && !node.IsWildcard(tree) && strings.Trim(pattern, "^$") != ""
}
