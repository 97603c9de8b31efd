package recording

import (
	"bytes"
	"encoding/json"
	"slices"
)

// twice finds a key that stands twice in one object of a text, at whatever depth: which of the two is meant?
func twice(v value) (key string, at int, found bool) {
	switch v.kind() {
	case '{':
		return twiceInMap(v)
	case '[':
		for item := range v.items {
			if key, at, found = twice(item); found {
				return key, at, true
			}
		}
	}
	return "", 0, false
}

// fewKeys is up to how many keys an object is searched without an index.
const fewKeys = 24

func twiceInMap(v value) (key string, at int, found bool) {
	var few [fewKeys][]byte
	var more map[string]bool // the keys behind these
	n := 0
	for name, member := range v.members {
		name = plainKey(name)
		same := func(k []byte) bool { return bytes.Equal(k, name) }
		if slices.ContainsFunc(few[:min(n, fewKeys)], same) || more[string(name)] {
			return string(name), member.at, true
		}
		switch {
		case n < fewKeys:
			few[n] = name
		case more == nil:
			more = map[string]bool{string(name): true}
		default:
			more[string(name)] = true
		}
		n++
		if key, at, found = twice(member); found {
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

// unique reports the first key of a text that stands twice in its object. p is where the text starts.
func (s *scan) unique(v value, p span) bool {
	key, at, found := twice(v)
	if !found {
		return true
	}
	line, col := (&locator{text: v.text, line: p.line, col: max(p.col, 1)}).place(at - v.at)
	s.errorf(s.pos(span{line: line, col: col}), "duplicate-key", "an object has the key %q twice", cutText(key, 40)).
		Hint = "keep the one that is meant"
	return false
}
