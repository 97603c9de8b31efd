package scenario

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// NameFilter chooses among names that another program lists. An entry may end in *.
type NameFilter struct {
	Allow []string // none: all that are not blocked
	Block []string
	Pos   diag.Pos
}

// Takes reports whether a name is chosen.
func (f *NameFilter) Takes(name string) bool {
	in := func(list []string) bool {
		return slices.ContainsFunc(list, func(entry string) bool {
			prefix, wild := strings.CutSuffix(entry, "*")
			return entry == name || wild && strings.HasPrefix(name, prefix)
		})
	}
	if len(f.Allow) > 0 {
		return in(f.Allow)
	}
	return !in(f.Block)
}

// Missing are the entries that mean none of the names. Those that end in * may mean none.
func (f *NameFilter) Missing(names []string) []string {
	return slices.DeleteFunc(slices.Concat(f.Allow, f.Block), func(entry string) bool {
		return strings.HasSuffix(entry, "*") || slices.Contains(names, entry)
	})
}

var nameFilterFields = table("a filter", func() rows[NameFilter] {
	return rows[NameFilter]{
		strs("allowlist", func(f *NameFilter) *[]string { return &f.Allow }).doc("Only these; an entry may end in *."),
		strs("blocklist", func(f *NameFilter) *[]string { return &f.Block }).doc("All but these, without an allowlist."),
	}
})

// entries are the texts of a list, or the one text in its place.
func entries(list *node.Node) []*node.Node {
	switch {
	case list == nil:
		return nil
	case list.Kind == node.List:
		return list.Content
	}
	return []*node.Node{list}
}
