package scenario

import (
	"strings"
	"text/template/parse"

	template "github.com/DataDog/datadog-agent/pkg/template/text"

	"github.com/arena-evals/arena/internal/chat"
)

// openPlaces is the maximum number of placeholders outside strings for which all fillings are tried.
const openPlaces = 3

// fillings are possible values of a placeholder outside a JSON string: a value, a key, a member, nothing.
var fillings = []string{"1", `"x"`, `"x": 1`, ""}

// neverJSON says why the output of a template is never valid JSON, although it starts like JSON; nil: it may be valid,
// or it does not start like JSON. Templates with conditions are not checked.
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

// jsonPieces are the texts between placeholders outside JSON strings; a placeholder within a string becomes an x. ok is
// false for a template with more than texts and values.
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
