package scenario

import (
	"strings"

	"github.com/arena-evals/arena/internal/node"
)

// warnStandIn warns of a text that was to stand for another one, such as the name of a file: the model is told what is
// written. Names in braces are told of where placeholders are read. said: a user says it.
func (d *decoder) warnStandIn(v *node.Node, what string, said bool) {
	if v.Kind != node.Scalar {
		return
	}
	if odd, _ := node.FindPlaceholder(v.Value, said); odd != (node.Oddity{}) && !readAsPlace(v.Value) {
		d.Warnf(v, "looks-like-slip", "%s: %q %s", what, v.Value, odd.Text).Hint = odd.Hint
	}
}

// readAsPlace reports whether a text is one of which the reader of placeholders tells: {name}, ${name}.
func readAsPlace(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") && strings.Trim(text, "{}0123456789") != "" || strings.HasPrefix(text, "${")
}
