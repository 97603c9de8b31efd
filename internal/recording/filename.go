package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// FileName returns a file name without extension for a session or a trial. It is readable, safe on every system and
// unique, also where case does not matter.
func FileName(id string) string {
	name := []byte(id)
	for i, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			name[i] = '_'
		}
	}
	name = name[:min(len(name), maxName)]
	sum := sha256.Sum256([]byte(id))
	return strings.TrimLeft(string(name), ".-") + "-" + hex.EncodeToString(sum[:5])
}

// maxName is the number of bytes of the id in the file name.
const maxName = 80

// Numbers returns the numbers in a FileName, among them the trial's number in its group if the id has one. whole is
// false when the id was cut, so that the number may be missing.
func Numbers(name string) (all []int, whole bool) {
	if at := strings.LastIndexByte(name, '-'); at >= 0 {
		name = name[:at]
	}
	for part := range strings.SplitSeq(name, "_") {
		if n, err := strconv.Atoi(part); err == nil && n > 0 {
			all = append(all, n)
		}
	}
	return all, len(name) < maxName
}
