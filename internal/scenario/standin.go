package scenario

import (
	"strings"

	"github.com/arena-evals/arena/internal/node"
)

// warnStandIn warns of a text that is probably a placeholder, such as the name of a file: a model gets it unchanged.
// Names in braces are reported elsewhere. said: it is a user's message.
func (d *decoder) warnStandIn(v *node.Node, what string, said bool) {
	if v.Kind != node.Scalar {
		return
	}
	if odd, _ := node.FindPlaceholder(v.Value, said); odd != (node.Oddity{}) && !readAsPlace(v.Value) {
		d.Warnf(v, "looks-like-slip", "%s: %q %s", what, v.Value, odd.Text).Hint = odd.Hint
	}
}

// readAsPlace reports whether a text has the form of a placeholder, {name} or ${name}, which is reported elsewhere.
func readAsPlace(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") && strings.Trim(text, "{}0123456789") != "" || strings.HasPrefix(text, "${")
}
