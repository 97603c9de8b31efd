package node

import (
	"gopkg.in/yaml.v3"
)

// resolver turns a parsed document into a plain tree: aliases become the nodes they name, merge keys are spread into
// their mapping. A cycle, or a document that aliases blow up beyond maxNodes, is refused.
type resolver struct {
	r     *Reader
	open  map[*Node]bool // on the path from the root
	sizes map[*Node]int  // nodes below, aliases written out
	bad   bool
}

func (v *resolver) run(root *Node) bool {
	v.open, v.sizes = map[*Node]bool{}, nil
	if hasAlias(root) {
		v.sizes = map[*Node]int{}
		v.resolve(root)
	}
	v.duplicates(root)
	return !v.bad
}

func hasAlias(n *Node) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return true
	}
	for _, c := range n.Content {
		if hasAlias(c) {
			return true
		}
	}
	return false
}

func (v *resolver) resolve(n *Node) int {
	if v.bad {
		return 0
	}
	if size, done := v.sizes[n]; done {
		return size
	}
	if v.open[n] {
		v.bad = true
		v.r.Errorf(n, "cyclic-alias", "the anchor %q contains itself", n.Anchor)
		return 0
	}
	v.open[n] = true
	size := 1
	for i, c := range n.Content {
		if c.Kind == yaml.AliasNode {
			n.Content[i] = c.Alias
			c = c.Alias
		}
		if size += v.resolve(c); size > maxNodes && !v.bad {
			v.bad = true
			v.r.Errorf(n, "yaml-bomb", "aliases blow this document up to more than %d values", maxNodes).
				Hint = "write the repeated part once, or use fewer aliases"
		}
		if v.bad {
			return 0
		}
	}
	v.open[n] = false
	if n.Kind == Map {
		v.merge(n)
	}
	v.sizes[n] = size
	return size
}

// merge spreads `<<` into its mapping. A key of the mapping itself wins over a merged one, an earlier merge over a
// later one (https://yaml.org/type/merge.html).
func (v *resolver) merge(n *Node) {
	var own, merged []*Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, val := n.Content[i], n.Content[i+1]
		if k.ShortTag() != "!!merge" {
			own = append(own, k, val)
			continue
		}
		sources := []*Node{val}
		if val.Kind == List {
			sources = val.Content
		}
		for _, s := range sources {
			if s.Kind != Map {
				v.bad = true
				v.r.Errorf(k, "wrong-type", "<< must name a map, found %s", describe(s))
				return
			}
			merged = append(merged, s.Content...)
		}
	}
	if merged == nil {
		return
	}
	seen := map[string]bool{}
	for i := 0; i < len(own); i += 2 {
		seen[own[i].Value] = true
	}
	for i := 0; i+1 < len(merged); i += 2 {
		if !seen[merged[i].Value] {
			seen[merged[i].Value] = true
			own = append(own, merged[i], merged[i+1])
		}
	}
	n.Content = own
}

// duplicates checks what Reader.Fields leaves out: keys that are no scalars, and the duplicates of long mappings.
func (v *resolver) duplicates(n *Node) {
	if v.bad {
		return
	}
	if v.open[n] { // shared through an alias and already seen
		return
	}
	if n.Anchor != "" {
		v.open[n] = true
	}
	if n.Kind == Map {
		var seen map[string]int
		if len(n.Content) > 64 {
			seen = make(map[string]int, len(n.Content)/2)
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != Scalar {
				v.r.Errorf(k, "wrong-type", "a key must be text, found %s", describe(k))
				v.bad = true
				return
			}
			if seen == nil {
				continue
			}
			if line, dup := seen[k.Value]; dup {
				v.r.Errorf(k, "duplicate-key", "key %q is already set on line %d", k.Value, line).Hint = "keep one of the two"
				continue
			}
			seen[k.Value] = k.Line
		}
	}
	for _, c := range n.Content {
		v.duplicates(c)
	}
}
