package scenario

import "github.com/arena-evals/arena/internal/node"

// warnStandIn warns of a text that was to stand for another one, such as the name of a file: the model is told what is
// written.
func (d *decoder) warnStandIn(v *node.Node, what string) {
	if v.Kind != node.Scalar {
		return
	}
	if odd := node.StandIn(v.Value); odd != (node.Oddity{}) {
		d.Warnf(v, "looks-like-slip", "%s: %q %s", what, v.Value, odd.Text).Hint = odd.Hint
	}
}
