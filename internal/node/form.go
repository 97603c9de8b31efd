package node

import (
	"encoding/binary"
	"hash/maphash"
)

var formSeed = maphash.MakeSeed()

// Form sums up how a value is written: its quotes, tags and comments, and the order of its keys. Values that are equal
// and written alike have one form, within a process; their positions may differ.
func Form(n *Node) uint64 {
	var h maphash.Hash
	h.SetSeed(formSeed)
	writeForm(&h, n)
	return h.Sum64()
}

func writeForm(h *maphash.Hash, n *Node) {
	if n == nil {
		return
	}
	var head [12]byte
	binary.LittleEndian.PutUint32(head[:], uint32(n.Kind))
	binary.LittleEndian.PutUint32(head[4:], uint32(n.Style))
	binary.LittleEndian.PutUint32(head[8:], uint32(len(n.Content)))
	_, _ = h.Write(head[:]) // never fails
	for _, text := range [...]string{n.Tag, n.Value, n.LineComment} {
		_, _ = h.WriteString(text)
		_ = h.WriteByte(0)
	}
	for _, c := range n.Content {
		writeForm(h, c)
	}
}
