package checks

import (
	"strings"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// prose is a parameter that holds a text in which something must be said.
type prose string

func (p *prose) take(b *binder, n *node.Node, what string) bool {
	text, ok := b.r.String(n, what)
	if ok && strings.TrimSpace(text) == "" {
		b.r.Errorf(n, "empty-value", "%s is empty", what)
		return false
	}
	*p = prose(text)
	return ok
}

func (*prose) shape() keys.Shape { return filled }
