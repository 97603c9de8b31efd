package node

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Text formats a node as YAML, each value in its original style. Invisible characters are escaped in quotes.
func Text(n *Node) (string, error) {
	escapeMarks, restore := markInvisible(n)
	defer restore()
	var b strings.Builder
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		return "", err
	}
	if err := enc.Close(); err != nil {
		return "", err
	}
	return escapeMarks(b.String()), nil
}

// Pick returns a map with the wanted keys of another one, in order; nil: none.
func Pick(n *Node, wanted func(key string) bool) *Node {
	out := *n
	out.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		if wanted(n.Content[i].Value) {
			out.Content = append(out.Content, n.Content[i], n.Content[i+1])
		}
	}
	if len(out.Content) == 0 {
		return nil
	}
	return &out
}
