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

// Missing are the entries that match none of the names, which is probably a mistake.
func (f *NameFilter) Missing(names []string) []string {
	return slices.DeleteFunc(slices.Concat(f.Allow, f.Block), func(entry string) bool { return means(entry, names) })
}

// means reports whether an entry matches one of the names. A lone * always does.
func means(entry string, names []string) bool {
	stem, wild := strings.CutSuffix(entry, "*")
	return entry == "*" || slices.ContainsFunc(names, func(name string) bool {
		return name == entry || wild && strings.HasPrefix(name, stem)
	})
}

// Nearest suggests a name for an entry that matches none; "" if none is near.
func (*NameFilter) Nearest(entry string, names []string) string {
	if strings.HasSuffix(entry, "*") {
		names = slices.Clone(names)
		for _, name := range names {
			for i, r := range name {
				if strings.ContainsRune("_-./", r) {
					names = append(names, name[:i+1]+"*")
				}
			}
		}
	}
	return diag.DidYouMean(entry, names)
}

var nameFilterFields = table("a filter", func() rows[NameFilter] {
	return rows[NameFilter]{
		custom("allowlist", texts, func(d *decoder, f *NameFilter, v *node.Node) {
			if f.Allow, _ = d.Strings(v, "allowlist"); v.Kind == node.List && len(v.Content) == 0 {
				d.Errorf(v, "wrong-value", "allowlist is empty, which would leave nothing").Hint =
					"list what is to be there, or take it out"
			}
		}).doc("Only these; an entry may end in *."),
		strs("blocklist", func(f *NameFilter) *[]string { return &f.Block }).doc("All but these, without an allowlist."),
	}
})

// nameFilter reads a filter.
func (d *decoder) nameFilter(v *node.Node, f *NameFilter) {
	f.Pos = d.Pos(v)
	if nameFilterFields.read(d, v, f) && len(f.Allow) > 0 && len(f.Block) > 0 {
		d.Warnf(node.Get(v, "blocklist"), NoEffect, "blocklist has no effect: the allowlist says what is offered")
	}
}

// entries are the texts of a list, or a single text.
func entries(list *node.Node) []*node.Node {
	switch {
	case list == nil:
		return nil
	case list.Kind == node.List:
		return list.Content
	}
	return []*node.Node{list}
}
