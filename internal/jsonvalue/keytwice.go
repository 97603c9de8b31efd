package jsonvalue

import (
	"bytes"
	"encoding/json"
	"strings"
)

// KeyTwice finds a key that an object of a document has twice, which decoders read as they like. In objects of fixed
// form, which are all but those in freeForm, keys that differ in case are the same: encoding/json takes one for the
// other. What a server wrote for itself is not looked at. The document must be valid JSON; of any other the answer says
// nothing.
func KeyTwice(doc []byte) (key string, found bool) {
	s := keyScan{doc: doc, freeForm: freeForm}
	s.value(false)
	return s.twice, s.found
}

// KeyTwiceInReply is KeyTwice for what the server of a model wrote.
func KeyTwiceInReply(doc []byte) (key string, found bool) {
	s := keyScan{doc: doc, freeForm: freeFormOfReplies}
	s.value(false)
	return s.twice, s.found
}

// KeyTwiceOutside is KeyTwice for a document of another protocol: below the keys that free has, an object may have any
// keys.
func KeyTwiceOutside(doc []byte, free map[string]bool) (key string, found bool) {
	s := keyScan{doc: doc, freeForm: free}
	s.value(false)
	return s.twice, s.found
}

// KeyTwiceAsWritten is KeyTwice for a document in which any object may have any keys.
func KeyTwiceAsWritten(doc []byte) (key string, found bool) {
	s := keyScan{doc: doc}
	s.value(true)
	return s.twice, s.found
}

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

// opaque is the key of what a server wrote: it is kept as it came, and nobody but that server reads it.
const opaque = "opaque"

type keyScan struct {
	doc   []byte
	at    int
	twice string
	found bool
	lax   bool // nothing is found

	freeForm map[string]bool
}

// value goes behind the next value.
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
		for s.at < len(s.doc) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(s.doc[s.at])) {
			s.at++
		}
		if s.at == from { // no value begins like this: the document is no JSON
			s.at = len(s.doc)
		}
	}
}

// aside goes behind the next value, whatever is twice in it.
func (s *keyScan) aside() {
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
const few = 16

func (s *keyScan) object(free bool) {
	var first [few]string
	keys, many := first[:0], map[string]bool(nil)
	for s.at++; !s.ends('}'); {
		key := s.key()
		folded := key
		if !free {
			folded = fold(key)
		}
		switch {
		case s.lax:
		case many != nil:
			s.found = many[folded]
			many[folded] = true
		default:
			for _, k := range keys {
				s.found = s.found || k == folded
			}
			if keys = append(keys, folded); len(keys) > few {
				many = make(map[string]bool, 4*few)
				for _, k := range keys {
					many[k] = true
				}
			}
		}
		if s.found {
			s.twice = key
			return
		}
		if key == opaque && !free {
			s.aside()
			continue
		}
		s.value(free || s.freeForm[key])
	}
}

// fold is a key as decoders compare it.
func fold(key string) string { return strings.ReplaceAll(strings.ToLower(key), "\u017f", "s") }

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

// key goes behind the key of a member and its colon.
func (s *keyScan) key() string {
	raw := s.text()
	s.space()
	s.at++ // the colon
	if bytes.IndexByte(raw, '\\') < 0 && len(raw) > 1 {
		return string(raw[1 : len(raw)-1])
	}
	var key string
	_ = json.Unmarshal(raw, &key) // what is no text is no key
	return key
}

// text goes behind a text and returns it as it is written.
func (s *keyScan) text() []byte {
	from := s.at
	for s.at++; s.at < len(s.doc); s.at++ {
		switch s.doc[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return s.doc[from:s.at]
		}
	}
	s.at = min(s.at, len(s.doc))
	return s.doc[from:]
}

func (s *keyScan) space() {
	for s.at < len(s.doc) && (s.doc[s.at] == ' ' || s.doc[s.at] == '\t' || s.doc[s.at] == '\r' || s.doc[s.at] == '\n') {
		s.at++
	}
}
