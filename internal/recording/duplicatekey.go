package recording

import (
	"bytes"
	"encoding/json"
	"slices"
)

// duplicateKey finds a duplicate key in any object of a value.
func duplicateKey(v value) (key string, at int, found bool) {
	switch v.kind() {
	case '{':
		return duplicateInMap(v)
	case '[':
		for item := range v.items {
			if key, at, found = duplicateKey(item); found {
				return key, at, true
			}
		}
	}
	return "", 0, false
}

// maxUnindexed is the number of keys that are compared without an index.
const maxUnindexed = 24

func duplicateInMap(v value) (key string, at int, found bool) {
	var few [maxUnindexed][]byte
	var more map[string]bool // the keys after these
	n := 0
	for name, member := range v.members {
		name = plainKey(name)
		same := func(k []byte) bool { return bytes.Equal(k, name) }
		if slices.ContainsFunc(few[:min(n, maxUnindexed)], same) || more[string(name)] {
			return string(name), member.at, true
		}
		switch {
		case n < maxUnindexed:
			few[n] = name
		case more == nil:
			more = map[string]bool{string(name): true}
		default:
			more[string(name)] = true
		}
		n++
		if key, at, found = duplicateKey(member); found {
			return key, at, true
		}
	}
	return "", 0, false
}

// plainKey is a key without escapes.
func plainKey(key []byte) []byte {
	if bytes.IndexByte(key, '\\') < 0 {
		return key
	}
	var text string
	if json.Unmarshal(slices.Concat([]byte{'"'}, key, []byte{'"'}), &text) != nil {
		return key
	}
	return []byte(text)
}

// checkDuplicates reports the first duplicate key of a text that starts at p.
func (s *scan) checkDuplicates(v value, p span) bool {
	key, at, found := duplicateKey(v)
	if !found {
		return true
	}
	line, col := (&locator{text: v.text, line: p.line, col: max(p.col, 1)}).place(at - v.at)
	s.errorf(s.pos(span{line: line, col: col}), "duplicate-key", "an object has the key %q twice", cutText(key, 40)).
		Hint = "keep the one that is meant"
	return false
}
