package recording

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// value is a JSON value in a piece of a file. Its text is valid JSON without surrounding space; empty: the value is
// missing.
type value struct {
	text []byte
	at   int // offset in the piece
}

func (v value) kind() byte {
	if len(v.text) == 0 {
		return 0
	}
	return v.text[0]
}

// missing reports whether a value is missing or null.
func (v value) missing() bool { return v.kind() == 0 || v.kind() == 'n' }

// str returns the text of a JSON string.
func (v value) str() (string, bool) {
	if v.kind() != '"' || len(v.text) < 2 { // a cut text may be a single quote
		return "", false
	}
	inner := v.text[1 : len(v.text)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), true
	}
	var s string
	err := json.Unmarshal(v.text, &s)
	return s, err == nil
}

// number returns a finite JSON number.
func (v value) number() (float64, bool) {
	if c := v.kind(); c != '-' && (c < '0' || c > '9') {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v.text), 64)
	return f, err == nil
}

// scalar returns a string, or a number or a boolean as it is written.
func (v value) scalar() (string, bool) {
	switch v.kind() {
	case 0, '{', '[', 'n':
		return "", false
	case '"':
		return v.str()
	}
	return string(v.text), true
}

// members yields the members of an object. Keys are as written between the quotes. An object may be cut.
func (v value) members(yield func(key []byte, member value) bool) {
	jsonvalue.Members(v.text, func(key, member []byte, at int) bool { return yield(key, value{member, v.at + at}) })
}

// items yields the elements of a list.
func (v value) items(yield func(item value) bool) {
	jsonvalue.Elements(v.text, func(item []byte, at int) bool { return yield(value{item, v.at + at}) })
}

// get returns the member with the given folded key.
func (v value) get(name string) value {
	for key, member := range v.members {
		if foldKey(key) == name {
			return member
		}
	}
	return value{}
}

// foldKey folds tool_calls, toolCalls and ToolCalls to one name.
func foldKey(key []byte) string {
	if bytes.IndexByte(key, '\\') >= 0 {
		var text string
		if err := json.Unmarshal(slices.Concat([]byte{'"'}, key, []byte{'"'}), &text); err == nil {
			key = []byte(text)
		}
	}
	plain := true
	for _, c := range key {
		if c == '_' || 'A' <= c && c <= 'Z' {
			plain = false
			break
		}
	}
	if plain {
		return string(key)
	}
	return strings.ToLower(strings.ReplaceAll(string(key), "_", ""))
}
