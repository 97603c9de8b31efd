package node

import (
	"encoding/binary"
	"slices"
	"strings"
)

// AppendCanonical appends what a value says, in a form that is the same for every layout, style, comment and order of
// keys. What is appended ends by itself.
func AppendCanonical(b []byte, n *Node) []byte {
	switch {
	case IsNull(n):
		return append(b, '~')
	case n.Kind == Map:
		entries := make([]string, 0, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			entries = append(entries, string(AppendCanonical(AppendCanonical(nil, n.Content[i]), n.Content[i+1])))
		}
		slices.SortStableFunc(entries, strings.Compare)
		b = binary.AppendUvarint(append(b, '{'), uint64(len(entries)))
		for _, entry := range entries {
			b = append(b, entry...)
		}
		return b
	case n.Kind == List:
		b = binary.AppendUvarint(append(b, '['), uint64(len(n.Content)))
		for _, v := range n.Content {
			b = AppendCanonical(b, v)
		}
		return b
	}
	for _, text := range []string{n.ShortTag(), n.Value} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	return b
}
