package checks

import (
	"strings"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// requiredText is a parameter with a text that must not be blank.
type requiredText string

func (p *requiredText) take(b *binder, n *node.Node, what string) bool {
	text, ok := b.r.String(n, what)
	if ok && strings.TrimSpace(text) == "" {
		b.r.Errorf(n, "empty-value", "%s is empty", what)
		return false
	}
	*p = requiredText(text)
	return ok
}

func (*requiredText) shape() keys.Shape { return filled }
