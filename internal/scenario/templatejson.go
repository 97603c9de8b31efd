package scenario

import (
	"strings"
	"text/template/parse"

	template "github.com/DataDog/datadog-agent/pkg/template/text"

	"github.com/arena-evals/arena/internal/chat"
)

// openPlaces is for up to how many places outside of texts all that could stand there is tried.
const openPlaces = 3

// fillings are what a place outside of a text of JSON may make: a value, a key, a member, nothing.
var fillings = []string{"1", `"x"`, `"x": 1`, ""}

// neverJSON says why what a template makes is no JSON whatever the arguments are, although it begins as such; nil: it
// may be JSON, or it begins as something else. Only texts and values are looked into: behind a condition anything may
// follow.
func neverJSON(src string) error {
	tree, err := template.New("mock").Parse(src)
	if err != nil || tree.Tree == nil {
		return nil // is reported
	}
	pieces, ok := jsonPieces(tree.Root)
	if !ok || !almostJSON().MatchString(strings.TrimSpace(pieces[0])) {
		return nil
	}
	places := len(pieces) - 1
	if places > openPlaces {
		return nil
	}
	var first error
	ways := 1
	for range places {
		ways *= len(fillings)
	}
	for way := range ways {
		var b strings.Builder
		for i, piece := range pieces {
			b.WriteString(piece)
			if i < places {
				b.WriteString(fillings[way%len(fillings)])
				way /= len(fillings)
			}
		}
		_, err := chat.DecodeJSON([]byte(b.String()))
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// jsonPieces are the texts of a template between its places that are outside of texts of JSON; a place within a text
// makes an x. ok is false for a template that has more than texts and values.
func jsonPieces(root *parse.ListNode) (pieces []string, ok bool) {
	var piece strings.Builder
	quoted, escaped := false, false
	for _, n := range root.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			for _, c := range n.Text {
				switch {
				case escaped:
					escaped = false
				case quoted && c == '\\':
					escaped = true
				case c == '"':
					quoted = !quoted
				}
			}
			piece.Write(n.Text)
		case *parse.ActionNode:
			if quoted {
				piece.WriteByte('x')
				continue
			}
			pieces = append(pieces, piece.String())
			piece.Reset()
		default:
			return nil, false
		}
	}
	return append(pieces, piece.String()), true
}
