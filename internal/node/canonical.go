package node

import (
	"encoding/binary"

	"github.com/arena-evals/arena/internal/digest"
)

// AppendCanonical appends a form of the value that does not depend on layout, style, comments or order of keys. The
// form is self-delimiting.
func AppendCanonical(b []byte, n *Node) []byte {
	switch {
	case IsNull(n):
		return append(b, '~')
	case n.Kind == Map:
		return appendMap(b, n)
	case n.Kind == List:
		b = binary.AppendUvarint(append(b, '['), uint64(len(n.Content)))
		for _, v := range n.Content {
			b = AppendCanonical(b, v)
		}
		return b
	}
	return digest.Text(digest.Text(b, n.ShortTag()), n.Value)
}

// appendMap appends the entries of a map in a fixed order.
func appendMap(b []byte, n *Node) []byte {
	b = binary.AppendUvarint(append(b, '{'), uint64(len(n.Content)/2))
	start := len(b)
	var few [16]int
	ends := few[:0]
	for i := 0; i+1 < len(n.Content); i += 2 {
		b = AppendCanonical(AppendCanonical(b, n.Content[i]), n.Content[i+1])
		ends = append(ends, len(b))
	}
	return digest.InOrder(b, start, ends)
}
