package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// WithoutQuery is the address of a medium as it may be written: its query and fragment, which often hold a key, are
// left out. In their place stand the mark of a cut and a short sum of them, by which addresses can still be told apart.
func WithoutQuery(address string) string {
	end := strings.IndexAny(address, "?#")
	if end < 0 {
		return address
	}
	sum := sha256.Sum256([]byte(address[end:]))
	return address[:end] + "…" + hex.EncodeToString(sum[:8])
}
