package node

import (
	"go.yaml.in/yaml/v3"
)

// longMap is the size from which duplicate keys are searched with an index.
const longMap = 64

// resolver makes a plain tree of a document: it replaces aliases by their nodes and applies merge keys. It refuses
// cycles, and documents that aliases enlarge too much.
type resolver struct {
	r     *Reader
	limit int            // of nodes
	open  map[*Node]bool // on the path from the root
	sizes map[*Node]int  // nodes below, aliases written out
	bad   bool
}

func (v *resolver) run(root *Node) bool {
	v.open = map[*Node]bool{}
	if nodes, aliases := count(root); aliases {
		v.sizes = map[*Node]int{}
		v.limit = maxAliasNodes + 4*nodes
		v.resolve(root)
	}
	v.keys(root)
	return !v.bad
}

// count returns the number of nodes below n without following aliases, and whether there are anchors or aliases.
func count(n *Node) (nodes int, aliases bool) {
	nodes, aliases = 1, n.Kind == yaml.AliasNode || n.Anchor != ""
	for _, c := range n.Content {
		below, found := count(c)
		nodes, aliases = nodes+below, aliases || found
	}
	return nodes, aliases
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
		if size += v.resolve(c); size > v.limit && !v.bad {
			v.bad = true
			v.r.Errorf(n, "yaml-bomb", "aliases blow this document up to more than %d values", v.limit).
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

// merge applies <<. Keys of the map win over merged ones, earlier merges over later ones
// (https://yaml.org/type/merge.html).
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

// keys reports keys that are not scalars, and duplicates in long maps, which Reader.Fields does not.
func (v *resolver) keys(n *Node) {
	if v.bad || v.open[n] { // shared through an alias and already seen
		return
	}
	if n.Anchor != "" {
		v.open[n] = true
	}
	if n.Style&yaml.TaggedStyle != 0 {
		v.tag(n)
	}
	if n.Kind == Map {
		v.scalarKeys(n)
	}
	if n.Kind == Map && len(n.Content) > longMap {
		v.duplicates(n)
	}
	for _, c := range n.Content {
		v.keys(c)
	}
}

func (v *resolver) scalarKeys(n *Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind == Scalar {
			continue
		}
		v.bad = true
		d := v.r.Errorf(k, "wrong-type", "a key must be text, found %s", describe(k))
		if k.Kind == Map && k.Style&yaml.FlowStyle != 0 {
			d.Hint = "quote a value that starts with {"
		}
		return
	}
}

func (v *resolver) duplicates(n *Node) {
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if line, dup := seen[k.Value]; dup {
			v.r.repeated(k, line)
			continue
		}
		seen[k.Value] = k.Line
	}
}
