package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// FileName is a name for the file of a session or a trial, such as its cassette, without an extension: readable, safe
// on every system, and another one for every id, also where file names have no case.
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

// maxName is how many bytes of an id stand in the name of its file.
const maxName = 80

// Numbers are the numbers in a name that FileName gave: that of the trial in its group is among them, where its id
// shows one. The name of a long id may not hold it: whole is false then.
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
