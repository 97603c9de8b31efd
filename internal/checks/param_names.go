package checks

import (
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// nameFilter is a parameter that limits a check to some names; an empty list is no limit.
type nameFilter []string

func (f *nameFilter) take(b *binder, n *node.Node, what string) (ok bool) {
	*f, ok = takeNames(b, n, what)
	return ok
}

func (*nameFilter) shape() keys.Shape { return keys.List{Item: filled, Single: true} }

// keeps reports whether the filter lets a name pass.
func (f nameFilter) keeps(name string) bool {
	return len(f) == 0 || slices.Contains(f, name)
}

// nameList is a parameter that must be a list with at least one entry.
type nameList []string

func (l *nameList) take(b *binder, n *node.Node, what string) (ok bool) {
	if n.Kind != node.List {
		b.r.Errorf(n, "wrong-type", "%s must be a list of text", what).Hint = "write it as [" + n.Value + "]"
		return false
	}
	if len(n.Content) == 0 {
		b.r.Errorf(n, "empty-value", "%s is empty", what)
		return false
	}
	*l, ok = takeNames(b, n, what)
	return ok
}

func (*nameList) shape() keys.Shape { return keys.List{Item: filled, Filled: true} }

// takeNames reads a list of names; a single name is a list of one.
func takeNames(b *binder, n *node.Node, what string) ([]string, bool) {
	if n.Kind != node.List {
		name, ok := takeName(b, n, what)
		return []string{name}, ok
	}
	names, all := make([]string, len(n.Content)), true
	for i, item := range n.Content {
		name, ok := takeName(b, item, fmt.Sprintf("%s[%d]", what, i))
		names[i], all = name, all && ok
	}
	return names, all
}

func takeName(b *binder, n *node.Node, what string) (string, bool) {
	name, ok := b.r.String(n, what)
	if ok && name == "" {
		b.r.Errorf(n, "empty-value", "%s is empty", what)
		return "", false
	}
	return name, ok
}
