package checks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// NameUse is a name that a check uses, so that the planner can report an unknown name: a check that forbids it always
// passes.
type NameUse struct {
	Kind    Kind
	Name    string
	Of      string         // for an argument: its tool
	Values  []ValueUse     // for an argument: the texts that it is compared with, those of a list each
	Wants   []ExpectedUse  // for an argument: what it is compared with
	Pattern *regexp.Regexp // for a ToolPattern
	Param   string         // its parameter or condition: tool_names, when: tool_called
	Pos     diag.Pos
}

// ValueUse is a text that a check compares with an argument. Arguments of arena's own tools are names themselves: of
// events, artifacts and skills.
type ValueUse struct {
	Text    string
	Pattern *regexp.Regexp // the argument must match it; nil: the argument must equal Text
	Pos     diag.Pos
}

// ExpectedUse is a value of any type that a check compares with an argument.
type ExpectedUse struct {
	Value   any
	Pattern *regexp.Regexp // the argument must match it; nil: the argument must equal the value
	Pos     diag.Pos
}

// Names are the names that the check and its conditions use, in the order of the file. Those of Nested checks are not
// included.
func (c *Compiled) Names() []NameUse {
	if c.uses == nil {
		return nil
	}
	return *c.uses
}

// warnStandIn reports a placeholder that was never replaced. A model would get it unchanged. In criteria for a judge it
// is an error.
func (b *binder) warnStandIn(n *node.Node, what string) {
	if node.IsNull(n) {
		return
	}
	odd, sure := node.FindPlaceholder(n.Value, false)
	if odd == (node.Oddity{}) {
		b.warnUsualPlace(n, what)
		return
	}
	d := b.r.Warnf(n, "looks-like-slip", "%s: %q %s", what, n.Value, odd.Text)
	if d.Hint = odd.Hint; sure && b.def.Prompt != (Prompt{}) {
		d.Severity = diag.Error
	}
}

// warnUsualPlace warns of {expected} and similar placeholders in a text for a judge, which other tools fill in.
func (b *binder) warnUsualPlace(n *node.Node, what string) {
	for _, name := range scenario.UsualPlaces(n.Value) {
		b.r.Warnf(n, "foreign-template", "%s: {%s} is asked as it stands, braces included", what, name).Hint =
			"write the words themselves, or {{NAME}} for a variable or a field of the row; " +
				"what was said is shown to a judge by itself"
	}
}

// means checks the texts of a parameter, and the keys of a map, against their kind. It notes names.
func (b *binder) means(f *field, n *node.Node, what string, given map[string]*node.Node, l *layout) bool {
	ok := true
	if f.Is != "" {
		for i, text := range textsOf(n) {
			at := what
			if n.Kind == node.List {
				at = fmt.Sprintf("%s[%d]", what, i)
			}
			ok = b.text(f, f.Is, text, at, given, l) && ok
			if f.Is == FreeText && ok && text.Kind == node.Scalar {
				b.warnStandIn(text, at)
			}
			if f.Is.isSought() && ok && text.Kind == node.Scalar {
				b.warnOtherMeaning(f, f.Is, text, at, n.Kind == node.Scalar)
			}
		}
	}
	if f.Keys != "" && n.Kind == node.Map {
		for i := 0; i+1 < len(n.Content); i += 2 {
			before := len(b.uses)
			ok = b.text(f, f.Keys, n.Content[i], what, given, l) && ok
			if len(b.uses) > before && f.Keys == ArgumentName {
				b.uses[before].Values, b.uses[before].Wants = b.values(f, n.Content[i+1]), b.expectedUses(f, n.Content[i+1])
			}
		}
	}
	return ok
}

// values returns the texts for an argument, without those with placeholders.
func (b *binder) values(f *field, n *node.Node) (list []ValueUse) {
	for _, text := range textsOf(n) {
		if text.Kind != node.Scalar || holdsPlace(text) {
			continue
		}
		use := ValueUse{Text: text.Value, Pos: b.r.Pos(text)}
		if f.patterns {
			p, err := regexp.Compile(text.Value)
			if err != nil {
				continue // it is already reported
			}
			use.Pattern = p
		}
		list = append(list, use)
	}
	return list
}

// expectedUses returns the values for an argument, without those with placeholders.
func (b *binder) expectedUses(f *field, n *node.Node) (list []ExpectedUse) {
	all := []*node.Node{n}
	if f.each {
		all = textsOf(n)
	}
	for _, one := range all {
		if holdsPlace(one) {
			continue
		}
		use := ExpectedUse{Pos: b.r.Pos(one)}
		if !f.patterns {
			use.Value = (&node.Reader{File: b.r.File, Diags: &diag.List{}}).Any(one) // its problems are already reported
		} else if p, err := regexp.Compile(one.Value); err == nil {
			use.Pattern = p
		}
		list = append(list, use)
	}
	return list
}

// holdsPlace reports whether a value holds a placeholder.
func holdsPlace(n *node.Node) bool {
	return strings.Contains(n.Value, "{{") || slices.ContainsFunc(n.Content, holdsPlace)
}

// textsOf returns a text, or the texts of a list.
func textsOf(n *node.Node) []*node.Node {
	if n.Kind == node.List {
		return n.Content
	}
	return []*node.Node{n}
}

// written is the name of the parameter in the file that contains a text.
func (f *field) written(text *node.Node, given map[string]*node.Node) string {
	for _, alias := range f.Aliases {
		if n := given[alias]; n != nil && (n == text || slices.Contains(n.Content, text)) {
			return alias
		}
	}
	return f.Name
}

func (b *binder) text(f *field, is Kind, n *node.Node, what string, given map[string]*node.Node, l *layout) bool {
	switch {
	case n.Kind != node.Scalar:
		return true
	case is.isSought():
		return b.r.IsPlainText(n, what)
	case !is.isName():
		return true
	case !b.r.IsPlainName(n, what, false):
		return false
	}
	use := NameUse{Kind: is, Name: n.Value, Param: f.written(n, given), Pos: b.r.Pos(n)}
	if f.Of != "" {
		tool := b.choose(&l.fields[l.index[f.Of]], given, false)
		if tool == nil || tool.Kind != node.Scalar {
			return true
		}
		use.Of = tool.Value
	}
	b.uses = append(b.uses, use)
	return true
}
