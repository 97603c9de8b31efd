package scenario

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/node"
)

// Some texts for models and servers are not templates: descriptions, schemas, skills, arguments of programs. A
// placeholder in one would be sent with its braces. `\{{` is a literal `{{`.

// asIs makes a field whose texts are sent unchanged: placeholders are refused.
func (x *field[T]) asIs() *field[T] {
	x.AsIs = true
	return x
}

// instead is the hint for a placeholder in such a field.
func (x *field[T]) instead(hint string) *field[T] {
	x.Unfilled = hint
	return x
}

// asItStands refuses placeholders in a value at any depth, and removes the backslashes of literal braces. A value
// without backslashes is returned unchanged.
func (d *decoder) asItStands(n *node.Node, what string) *node.Node {
	return withoutPlaces(n, func(at *node.Node, place string) { d.unfilledPlace(at, what, place, writeValue) })
}

func (d *decoder) unfilledPlace(at *node.Node, what, place, instead string) {
	d.Foreignf(at, notFilled, "%s: nothing fills in %s here", what, short(place)).Hint = instead
}

// withoutPlaces removes the backslashes of literal braces from a value. tell is called for each placeholder.
func withoutPlaces(n *node.Node, tell func(at *node.Node, place string)) *node.Node {
	if !holdsDouble(n) {
		return n
	}
	out := *n
	if n.Kind == node.Scalar {
		text, open := literalPlaces(n.Value)
		for _, place := range open {
			tell(n, place)
		}
		out.Value = text
		return &out
	}
	out.Content = make([]*node.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = withoutPlaces(c, tell)
	}
	return &out
}

// ignorePlace does nothing: the placeholder is reported elsewhere.
func ignorePlace(*node.Node, string) {}

const (
	notFilled  = "not-filled"
	writeValue = `write the value itself; for the braces themselves write \{{`
)

// holdsDouble reports whether a value holds double braces, keys included.
func holdsDouble(n *node.Node) bool {
	if n.Kind == node.Scalar {
		return strings.Contains(n.Value, "{{")
	}
	return slices.ContainsFunc(n.Content, holdsDouble)
}

// literalPlaces lists the placeholders in a text, and removes the backslash before literal braces. Two backslashes
// become one.
func literalPlaces(text string) (literal string, open []string) {
	literal = eachPlace(text, func(n int, place string) int {
		if n%2 == 0 && !slices.Contains(open, place) {
			open = append(open, place)
		}
		return n / 2
	})
	return literal, open
}

// AsItStands escapes a text that is not a template, so that it is sent unchanged.
func AsItStands(text string) string {
	return eachPlace(text, func(n int, _ string) int { return 2*n + 1 })
}

// eachPlace changes the number of backslashes before anything that looks like a placeholder.
func eachPlace(text string, change func(n int, place string) int) string {
	var b strings.Builder
	for {
		at := strings.Index(text, "{{")
		if at < 0 {
			return b.String() + text
		}
		for strings.HasPrefix(text[at+1:], "{{") { // {{{x}}} contains {{x}}
			at++
		}
		inner, _, closed := strings.Cut(text[at+2:], "}}")
		if !closed || !isPlace(inner) {
			b.WriteString(text[:at+2])
			text = text[at+2:]
			continue
		}
		before := strings.TrimRight(text[:at], "{")
		n := backslashes(before)
		place := "{{" + inner + "}}"
		b.WriteString(before[:len(before)-n] + strings.Repeat(`\`, change(n, place)) + text[len(before):at] + place)
		text = text[at+len(inner)+4:]
	}
}

// isPlace reports whether a text in double braces is a placeholder of arena or of another tool.
func isPlace(inner string) bool { return isName(inner) || (&Values{}).foreign(inner) != "" }
