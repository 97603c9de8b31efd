package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// FileName is a name for the file of a session or a trial, such as its cassette, without an extension: readable, safe
// on every system, and another one for every id, also where file names have no case.
func FileName(id string) string {
	const limit = 80
	name := []byte(id)
	for i, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			name[i] = '_'
		}
	}
	name = name[:min(len(name), limit)]
	sum := sha256.Sum256([]byte(id))
	return strings.TrimLeft(string(name), ".-") + "-" + hex.EncodeToString(sum[:5])
}
