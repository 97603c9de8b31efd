package jsonread

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// value reads a value of free shape.
func (s *scan) value() (v any, ok bool) {
	s.space()
	if s.at == len(s.doc) {
		return nil, false
	}
	switch s.doc[s.at] {
	case '"':
		return s.text()
	case '{':
		s.at++
		return s.members()
	case '[':
		s.at++
		list := []any{}
		ok = s.elements(']', func() bool {
			v, ok := s.value()
			list = append(list, v)
			return ok
		})
		return list, ok
	case 't':
		return true, s.word("true")
	case 'f':
		return false, s.word("false")
	case 'n':
		return nil, s.word("null")
	}
	raw, _, ok := s.number()
	return json.Number(s.known(raw)), ok
}

// members reads an object of free shape, from behind its opening bracket.
func (s *scan) members() (map[string]any, bool) {
	all, n := map[string]any{}, 0
	ok := s.elements('}', func() bool {
		key, ok := s.key()
		if !ok {
			return false
		}
		all[key], ok = s.value()
		n++
		s.unsure = s.unsure || len(all) < n || folds(key)
		return ok
	})
	return all, ok
}

// folds reports whether a key may be taken for one that is written in other letters.
func folds[T string | []byte](key T) bool {
	for i := range len(key) {
		if c := key[i]; 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// key reads the key of a member and its colon.
func (s *scan) key() (string, bool) {
	key, ok := s.text()
	return key, ok && s.takes(':')
}

// extent goes behind a value, and returns it as it is written.
func (s *scan) extent() ([]byte, bool) {
	s.space()
	from := s.at
	ok := s.pass()
	raw := s.doc[from:s.at]
	s.unsure = s.unsure || bytes.IndexByte(raw, '{') >= 0
	return raw, ok
}

// pass goes behind a value.
func (s *scan) pass() bool {
	s.space()
	if s.at == len(s.doc) {
		return false
	}
	switch s.doc[s.at] {
	case '"':
		_, _, ok := s.rawText()
		return ok
	case '{':
		s.at++
		return s.elements('}', func() bool {
			_, _, ok := s.rawText()
			return ok && s.takes(':') && s.pass()
		})
	case '[':
		s.at++
		return s.elements(']', s.pass)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	_, _, ok := s.number()
	return ok
}
