package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// WithoutQuery is the address of a medium for output: its query and fragment, which often hold a key, are replaced by
// the mark of a cut and a short hash, which still distinguishes addresses.
func WithoutQuery(address string) string {
	end := strings.IndexAny(address, "?#")
	if end < 0 {
		return address
	}
	sum := sha256.Sum256([]byte(address[end:]))
	return address[:end] + "…" + hex.EncodeToString(sum[:8])
}
