// Package jsonread decodes JSON in the usual form several times as fast as encoding/json does. It leaves anything else
// to encoding/json, so the results never differ.
package jsonread

import (
	"reflect"
	"sync"
)

// Decode decodes a document into a zero value that v points to, as a json.Decoder that uses numbers does. It reports
// false when it cannot; then the value is partly filled, and encoding/json has to say what is wrong, if anything is. It
// is safe for concurrent use.
func Decode(doc []byte, v any) bool {
	decoded, _ := decode(doc, v, false)
	return decoded
}

// DecodeDistinct is Decode, and reports whether it is sure that no object of the document has a key twice, however its
// letters are written.
func DecodeDistinct(doc []byte, v any) (decoded, distinct bool) { return decode(doc, v, false) }

// DecodePart is Decode for a value that has only some of the members of the document.
func DecodePart(doc []byte, v any) bool {
	decoded, _ := decode(doc, v, true)
	return decoded
}

func decode(doc []byte, v any, part bool) (decoded, distinct bool) {
	s := scans.Get().(*scan) //nolint:forcetypeassert // it holds nothing else
	defer scans.Put(s)
	s.doc, s.at, s.depth, s.unsure, s.part = doc, 0, 0, part, part
	to := reflect.ValueOf(v).Elem()
	ok := readerOf(to.Type())(s, to)
	s.space()
	ok = ok && s.at == len(s.doc)
	s.doc = nil
	return ok, ok && !s.unsure
}

var scans = sync.Pool{New: func() any { return new(scan) }}

// scan is a document that is read.
type scan struct {
	doc   []byte
	at    int
	depth int
	// unsure says that an object may have a key twice: one of free shape, or one that was not looked into. A struct never
	// has.
	unsure bool
	part   bool               // members that a struct does not have are passed over
	texts  [knownTexts]string // some that were read, by their hash
	meant  []byte             // room for a text without its escapes
}

// maxDepth is how deep values may be nested here.
const maxDepth = 200

func (s *scan) space() {
	for s.at < len(s.doc) {
		switch s.doc[s.at] {
		case ' ', '\n', '\r', '\t':
			s.at++
		default:
			return
		}
	}
}

// takes skips blanks and a character if it is next, and reports whether it was.
func (s *scan) takes(c byte) bool {
	s.space()
	if s.at < len(s.doc) && s.doc[s.at] == c {
		s.at++
		return true
	}
	return false
}

// word skips a word if it is next, and reports whether it was.
func (s *scan) word(word string) bool {
	if len(s.doc)-s.at >= len(word) && string(s.doc[s.at:s.at+len(word)]) == word {
		s.at += len(word)
		return true
	}
	return false
}

func (s *scan) null() bool {
	s.space()
	return s.word("null")
}

// elements calls read at each element of a list or an object, from behind its opening bracket to behind its end.
func (s *scan) elements(end byte, read func() bool) bool {
	if s.depth++; s.depth > maxDepth {
		return false
	}
	if !s.takes(end) {
		for {
			if !read() {
				return false
			}
			if s.takes(',') {
				continue
			}
			if !s.takes(end) {
				return false
			}
			break
		}
	}
	s.depth--
	return true
}
