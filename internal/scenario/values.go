package scenario

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/arena-evals/arena/internal/dataset"
	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/node"
)

// Values are the values of the placeholders of one conversation.
type Values struct {
	Vars    map[string]string // {{name}}
	Singles map[string]string // {name}, of a variant of the perturbations
	// Shapes are the types of variables that are not texts: "a list" or "a map". Vars has them as JSON.
	Shapes map[string]string
	Empty  []string // variables of the prompt without a value

	fields []string          // of all rows of the dataset, sorted
	row    *dataset.Row      // its fields are in Vars, and are not templates; nil: none
	marked map[string]string // Vars with marks in place of the fields of the row
	made   bool              // the row is made up, not from the file
}

// templates are the variables for rendering.
func (v *Values) templates() map[string]string {
	if v.row == nil {
		return v.Vars
	}
	if v.marked == nil {
		v.marked = maps.Clone(v.Vars)
		for name := range v.row.Values {
			v.marked[name] = mark(name)
		}
	}
	return v.marked
}

func (v *Values) has(name string) bool {
	_, ok := v.Vars[name]
	return ok
}

func (v *Values) names() []string { return slices.Sorted(maps.Keys(v.Vars)) }

// fill replaces the placeholders in a text. With faults the text must not be used.
func (v *Values) fill(text string, strict bool) (string, []placeholderFault) {
	if !holdsBraces(text) {
		return text, nil
	}
	out := expand(Substitute(text, v.Singles), v.templates())
	faults := v.faults(out, strict)
	out = v.unescapePlaces(unescape(out), strict || len(v.Singles) > 0)
	if v.row != nil {
		out = unmark(out, v.row)
	}
	return out, faults
}

// Templated reports whether a literal text could be read as a template.
func Templated(text string) bool { return holdsBraces(text) }

// holdsBraces reports whether a text may hold a placeholder, or something similar.
func holdsBraces(text string) bool {
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return strings.Contains(text, "<%")
	}
	if strings.Contains(text[at:], "{{") || strings.Contains(text[at:], "{%") || strings.Contains(text, "<%") {
		return true
	}
	found := false
	walkSingles(text[at:], func(string, int) { found = true })
	walkSpaced(text[at:], func(string, string) { found = true })
	return found || strings.Contains(text, `\{`)
}

// nodeHoldsBraces is holdsBraces for a value of any shape, keys included.
func nodeHoldsBraces(n *node.Node) bool {
	if n == nil {
		return false
	}
	if n.Kind == node.Scalar {
		return holdsBraces(n.Value)
	}
	return slices.ContainsFunc(n.Content, nodeHoldsBraces)
}

// checkFiller fills in the texts of one check.
type checkFiller struct {
	*Values
	texts     []string // that were filled, in order
	values    map[*node.Node][]FilledIn
	faults    func(n *node.Node, list []placeholderFault)
	plain     map[*node.Node]bool // texts that are read as if they had no quotes
	judge     bool                // within a text for a judge, which has placeholders of its own
	shown     bool                // within a text for readers, with which nothing is compared
	inMessage bool                // within a text for the reader of a report
}

// blank reports whether the value of a placeholder is blank.
func (v *Values) blank(name string) bool {
	text := expand("{{"+name+"}}", v.templates())
	if v.row != nil {
		text = unmark(text, v.row)
	}
	return strings.TrimSpace(text) == ""
}

// emptied finds placeholders with empty values, which change the meaning of a text. given reports which names count;
// nil: all.
func (v *Values) emptied(text string, given func(name string) bool) []placeholderFault {
	var names []string
	for _, name := range Placeholders(text) {
		place := "{{" + name + "}}"
		if v.has(name) && v.blank(name) && (given == nil || given(name)) && !slices.Contains(names, place) {
			names = append(names, place)
		}
	}
	if len(names) == 0 {
		return nil
	}
	out, faults := v.fill(text, false)
	if len(faults) > 0 {
		return nil
	}
	return []placeholderFault{{
		code: "empty-value", hint: "give it a value",
		msg: fmt.Sprintf("nothing stands for %s, so that the text is %q", strings.Join(names, " and "),
			ellipsis.Runes(out, 120)),
	}}
}

// saysNothing reports whether a text is blank after replacement.
func (v *Values) saysNothing(text string) bool {
	out, faults := v.fill(text, false)
	return len(faults) == 0 && strings.TrimSpace(text) != "" && strings.TrimSpace(out) == ""
}

// given reports whether a scenario or its row sets a name. A value of a prompt or a config, which is for all scenarios,
// may be empty on purpose.
func (s *Scenario) given(name string) bool {
	if _, own := s.Variables[name]; own {
		return true
	}
	return s.Row != nil && s.Row.Values[name] != nil
}

// note keeps the values that were filled into a text.
func (f *checkFiller) note(out *node.Node, text string) {
	add := func(in FilledIn) {
		if f.values == nil {
			f.values = map[*node.Node][]FilledIn{}
		}
		f.values[out] = append(f.values[out], in)
	}
	for _, name := range Placeholders(text) {
		place := "{{" + name + "}}"
		switch value := f.Vars[name]; {
		case f.blank(name):
			if f.asks() {
				add(FilledIn{Place: place})
			}
		case value != "" && !strings.Contains(value, "{{"):
			add(FilledIn{place, value})
		}
	}
	if len(f.Singles) > 0 && f.asks() {
		walkSingles(text, func(name string, _ int) {
			if value, given := f.Singles[name]; given && strings.TrimSpace(value) == "" {
				add(FilledIn{Place: "{" + name + "}"})
			}
		})
	}
}

// asks reports whether the text is compared, or contains a judge's criteria.
func (f *checkFiller) asks() bool { return !f.judge && !f.inMessage }

// isTyped reports whether a value is a single placeholder of a field that is not a text.
func (f *checkFiller) isTyped(n *node.Node) bool {
	if f.row == nil || n.Kind != node.Scalar || !aPlaceholder(n.Value) {
		return false
	}
	switch f.row.Values[n.Value[2:len(n.Value)-2]].(type) {
	case nil, string:
		return false
	}
	return true
}

// typed is the value of a field for a value that is only its placeholder; nil if the field is a text, or a text is
// required.
func (f *checkFiller) typed(n *node.Node) *node.Node {
	if !f.isTyped(n) || f.plain[n] || f.shown {
		return nil
	}
	name := n.Value[2 : len(n.Value)-2]
	text, _ := f.row.Text(name)
	f.texts = append(f.texts, "\x01"+text)
	out := node.FromJSON(f.row.Values[name])
	place(out, n)
	return out
}

// place sets the position of a value. Texts in it are not templates.
func place(out, at *node.Node) {
	out.Line, out.Column = at.Line, at.Column
	if out.Kind == node.Scalar && holdsBraces(out.Value) {
		node.MarkLiteral(out)
	}
	for _, inner := range out.Content {
		place(inner, at)
	}
}

// FilledIn is the value of a placeholder in a text of a check; "" if it is blank.
type FilledIn struct{ Place, Value string }

// emptyTextFault is the fault of a text that is empty after replacement.
func emptyTextFault(text string) placeholderFault {
	return placeholderFault{
		code: "empty-value", msg: text + " has an empty value", hint: "give it a value",
	}
}

// patternSyntax are the parts of a regular expression that stand for no text of their own.
var patternSyntax = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\[a-zA-Z]|\(\?[a-zA-Z-]+[):]`) })

// leftOver is the fault of a text that has no letter or digit besides an empty placeholder, such as \b\b, so that it
// requires nothing. nil: something is left.
func (f *checkFiller) leftOver(text, filled string) []placeholderFault {
	if strings.ContainsFunc(patternSyntax().ReplaceAllString(filled, ""), isWordRune) {
		return nil
	}
	for _, name := range Placeholders(text) {
		if f.blank(name) {
			return []placeholderFault{{
				code: "empty-value", msg: "nothing is left of " + strconv.Quote(short(text)) + ": {{" + name + "}} has an empty " +
					"value",
				name: name, hint: "give it a value",
			}}
		}
	}
	return nil
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// node copies a value with its placeholders replaced. Values without any are shared.
func (f *checkFiller) node(n *node.Node) *node.Node {
	if !nodeHoldsBraces(n) {
		return n
	}
	out := *n
	if typed := f.typed(n); typed != nil {
		return typed
	}
	if n.Kind == node.Scalar {
		text, faults := f.fill(n.Value, true)
		if f.judge {
			faults = slices.DeleteFunc(faults, placeholderFault.isOfJudge)
		}
		faults = append(faults, f.structured(n.Value, f.shown)...)
		f.texts = append(f.texts, text)
		switch {
		case len(faults) > 0:
			f.faults(n, faults)
		case strings.TrimSpace(text) == "":
			f.faults(n, []placeholderFault{emptyTextFault(n.Value)})
		case !f.judge && !f.shown:
			f.faults(n, slices.Concat(f.leftOver(n.Value, text), strayBrace(n.Value, false), f.noWord(n.Value, text)))
		}
		out.Value = text
		f.note(&out, n.Value)
		if strings.Contains(n.Value, `\{`) {
			node.MarkLiteral(&out)
		}
		if f.row != nil && holdsBraces(text) {
			node.MarkLiteral(&out)
		}
		if f.plain[n] && !f.isTyped(n) {
			out.Tag, out.Style = "", 0
		}
		return &out
	}
	out.Content = make([]*node.Node, len(n.Content))
	for i, c := range n.Content {
		valued := n.Kind == node.Map && i%2 == 1
		f.judge = valued && n.Content[i-1].Value == "system_prompt"
		f.shown = valued && contains(shownParams, n.Content[i-1].Value)
		f.inMessage = valued && n.Content[i-1].Value == "message"
		out.Content[i] = f.node(c)
	}
	f.judge, f.shown, f.inMessage = false, false, false
	return &out
}
