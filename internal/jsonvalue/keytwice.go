package jsonvalue

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"unicode/utf8"
)

// KeyTwice finds a duplicate key in an object, which decoders read differently. In objects of fixed form, which are all
// except those in freeForm, keys that differ only in case are equal, as in encoding/json. Opaque data of servers are
// not checked. The document must be valid JSON; otherwise the result is meaningless.
func KeyTwice(doc []byte) (key string, found bool) {
	return keyTwice(keyScan{doc: doc, freeForm: freeForm}, false)
}

// KeyTwiceInReply is KeyTwice for the reply of a model's server.
func KeyTwiceInReply(doc []byte) (key string, found bool) {
	return keyTwice(keyScan{doc: doc, freeForm: freeFormOfReplies}, false)
}

// KeyTwiceOutside is KeyTwice for a document of another protocol: below the keys that free has, an object may have any
// keys.
func KeyTwiceOutside(doc []byte, free map[string]bool) (key string, found bool) {
	return keyTwice(keyScan{doc: doc, freeForm: free}, false)
}

// KeyTwiceAsWritten is KeyTwice for a document in which any object may have any keys.
func KeyTwiceAsWritten(doc []byte) (key string, found bool) {
	return keyTwice(keyScan{doc: doc}, true)
}

func keyTwice(s keyScan, free bool) (key string, found bool) {
	room := openKeys.Get().(*[][]byte) //nolint:forcetypeassert // it holds nothing else
	s.open = (*room)[:0]
	s.value(free)
	clear(s.open[:cap(s.open)])
	*room = s.open
	openKeys.Put(room)
	return s.twice, s.found
}

var openKeys = sync.Pool{New: func() any { return new([][]byte) }}

// freeForm are keys of results below which an object may have any keys.
var freeForm = map[string]bool{
	"args": true, "arguments": true, "metadata": true, "details": true, "labels": true, "variant": true, "input": true,
	"output": true, "data": true, "artifacts": true,
}

// freeFormOfReplies are keys of replies below which an object may have any keys: arguments of calls, and what a server
// repeats of the request.
var freeFormOfReplies = map[string]bool{
	"args": true, "arguments": true, "input": true, "logprobs": true, "metadata": true, "parameters": true, "schema": true,
	"tools": true,
}

// opaque is the key of a server's opaque data, which are kept unchanged.
const opaque = "opaque"

type keyScan struct {
	doc   []byte
	at    int
	twice string
	found bool
	lax   bool     // nothing is found
	open  [][]byte // keys of the objects that are not at their end yet, those of the innermost last

	freeForm map[string]bool
}

// value skips the next value.
func (s *keyScan) value(free bool) {
	s.space()
	if s.found || s.at >= len(s.doc) {
		return
	}
	switch s.doc[s.at] {
	case '{':
		s.object(free)
	case '[':
		s.list(free)
	case '"':
		s.text()
	default:
		from := s.at
		for s.at < len(s.doc) && !endsScalar(s.doc[s.at]) {
			s.at++
		}
		if s.at == from { // no value begins like this: the document is no JSON
			s.at = len(s.doc)
		}
	}
}

func endsScalar(c byte) bool {
	switch c {
	case ',', ']', '}', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}

// skipValue skips the next value without a check for duplicates.
func (s *keyScan) skipValue() {
	inner := keyScan{doc: s.doc, at: s.at, lax: true}
	inner.value(true)
	s.at = inner.at
}

func (s *keyScan) list(free bool) {
	for s.at++; !s.ends(']'); {
		s.value(free)
	}
}

// few is up to how many keys comparing them is faster than a map.
const few = 32

func (s *keyScan) object(free bool) {
	first, many := len(s.open), map[string]bool(nil)
	for s.at++; !s.ends('}'); {
		key := s.key()
		folded := key
		if !free {
			folded = fold(key)
		}
		switch {
		case s.lax:
		case many != nil:
			s.found = many[string(folded)]
			many[string(folded)] = true
		default:
			keys := s.open[first:]
			for _, k := range keys {
				s.found = s.found || bytes.Equal(k, folded)
			}
			if s.open = append(s.open, folded); len(keys) == few {
				many = make(map[string]bool, 4*few)
				for _, k := range s.open[first:] {
					many[string(k)] = true
				}
			}
		}
		if s.found {
			s.twice = string(key)
			return
		}
		switch s.space(); {
		case s.at >= len(s.doc) || s.doc[s.at] != '{' && s.doc[s.at] != '[':
			s.value(free)
		case string(key) == opaque && !free:
			s.skipValue()
		default:
			s.value(free || s.freeForm[string(key)])
		}
	}
	s.open = s.open[:first]
}

// fold is a key as decoders compare it.
func fold(key []byte) []byte {
	for _, c := range key {
		if 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf {
			return []byte(strings.ReplaceAll(strings.ToLower(string(key)), "\u017f", "s"))
		}
	}
	return key
}

// ends goes behind the end of a list or an object, or to its next element, and reports whether it was the end. Nothing
// comes where the document breaks off.
func (s *keyScan) ends(with byte) bool {
	s.space()
	if s.found || s.at >= len(s.doc) {
		return true
	}
	if s.doc[s.at] == ',' {
		s.at++
		s.space()
	}
	if s.at < len(s.doc) && s.doc[s.at] == with {
		s.at++
		return true
	}
	return s.at >= len(s.doc)
}

// key reads the key of a member and its colon.
func (s *keyScan) key() []byte {
	raw := s.text()
	s.space()
	s.at++ // the colon
	if bytes.IndexByte(raw, '\\') < 0 && len(raw) > 1 {
		return raw[1 : len(raw)-1]
	}
	var key string
	_ = json.Unmarshal(raw, &key) // what is no text is no key
	return []byte(key)
}

// text reads a text and returns it as written.
func (s *keyScan) text() []byte {
	from := s.at
	for s.at++; s.at < len(s.doc); s.at++ {
		n := bytes.IndexByte(s.doc[s.at:], '"')
		if n < 0 {
			break
		}
		escapes := 0
		for s.at += n; s.at-escapes-1 > from && s.doc[s.at-escapes-1] == '\\'; {
			escapes++
		}
		if escapes%2 == 0 {
			s.at++
			return s.doc[from:s.at]
		}
	}
	s.at = len(s.doc)
	return s.doc[from:]
}

func (s *keyScan) space() {
	for s.at < len(s.doc) && (s.doc[s.at] == ' ' || s.doc[s.at] == '\t' || s.doc[s.at] == '\r' || s.doc[s.at] == '\n') {
		s.at++
	}
}
