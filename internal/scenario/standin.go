package scenario

import (
	"strings"

	"github.com/arena-evals/arena/internal/node"
)

// warnStandIn warns of a text that was to stand for another one, such as the name of a file: the model is told what is
// written. Names in braces are told of where placeholders are read.
func (d *decoder) warnStandIn(v *node.Node, what string) {
	if v.Kind != node.Scalar {
		return
	}
	if odd := node.StandIn(v.Value); odd != (node.Oddity{}) && !strings.HasPrefix(strings.TrimSpace(v.Value), "{") {
		d.Warnf(v, "looks-like-slip", "%s: %q %s", what, v.Value, odd.Text).Hint = odd.Hint
	}
}
