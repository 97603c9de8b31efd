package scenario

import (
	"slices"

	"github.com/arena-evals/arena/internal/node"
)

// unique reports a name that was used before in its list.
func (d *decoder) unique(seen map[string]int, at *node.Node, name, what string) {
	if name == "" || at == nil {
		return
	}
	if line, twice := seen[name]; twice {
		d.Errorf(at, "duplicate-id", "the %s %q is already on line %d", what, name, line)
		return
	}
	seen[name] = at.Line
}

// oneOfNames reports a name that is not among those defined nearby.
func (d *decoder) oneOfNames(n *node.Node, what string, names []string) {
	if slices.Contains(names, n.Value) {
		return
	}
	d.unknownName(n, what, names)
}
