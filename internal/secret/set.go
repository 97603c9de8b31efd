// Package secret takes known secrets out of what is written. It changes nothing that is sent or judged: that is for its
// callers to see to, who hand it bytes on their way out.
package secret

import (
	"bytes"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

// Lengths of secrets in bytes.
const (
	// Shortest is what a secret has at least. Anything shorter is found in every text, and taking it out would leave
	// nothing to read.
	Shortest = 4
	// whole is up to where a secret counts only as a word by itself.
	whole = 8
)

// placeholders stand where a key has to be written and none is needed. They are words of every text.
var placeholders = []string{
	"admin", "anything", "api-key", "apikey", "bearer", "changeme", "default", "dummy", "empty", "false", "local",
	"localhost", "mock", "no-key", "nokey", "none", "not-needed", "null", "ollama", "password", "placeholder", "redacted",
	"secret", "stub", "test", "testing", "token", "true", "unused", "user", "xxxx",
}

// Worth reports whether a text is worth hiding: long enough, and no placeholder.
func Worth(value string) bool {
	return len(value) >= Shortest && !slices.Contains(placeholders, strings.ToLower(value)) &&
		strings.Trim(value, value[:1]) != ""
}

// Set finds secrets in texts, in every form in which a writer may put them. It is immutable and safe for concurrent
// use; nil finds nothing.
type Set struct {
	starts  [256]bool            // first bytes of the forms
	pairs   [1 << 16 / 64]uint64 // first two bytes of the forms
	first   [256][]form          // by the first byte, the longest first
	longest int
}

type form struct {
	text string
	word bool // only where no letter and no digit is beside it
}

// NewSet makes a set; nil when none of the values is worth hiding.
func NewSet(values []string) *Set {
	s := &Set{}
	for _, value := range values {
		if !Worth(value) {
			continue
		}
		for _, text := range forms(value) {
			s.add(form{text, len(value) < whole})
		}
	}
	if s.longest == 0 {
		return nil
	}
	return s
}

func (s *Set) add(f form) {
	list := &s.first[f.text[0]]
	if slices.Contains(*list, f) {
		return
	}
	*list = append(*list, f)
	slices.SortFunc(*list, func(a, b form) int { return len(b.text) - len(a.text) })
	pair := uint16(f.text[0])<<8 | uint16(f.text[1])
	s.pairs[pair/64] |= 1 << (pair % 64)
	s.starts[f.text[0]] = true
	s.longest = max(s.longest, len(f.text))
}

// forms are a secret as it stands, and in addresses, in JSON and in markup.
func forms(value string) []string {
	all := []string{value, url.QueryEscape(value), url.PathEscape(value), html.EscapeString(value)}
	for _, escape := range []bool{false, true} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(escape)
		if enc.Encode(value) == nil {
			text := strings.TrimSuffix(b.String(), "\n")
			all = append(all, text[1:len(text)-1])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// In reports whether a secret stands in the text.
func (s *Set) In(p []byte) bool {
	at, _ := s.find(p, 0)
	return at >= 0
}

// find is the next secret at or after a place; -1: there is none.
func (s *Set) find(p []byte, from int) (at, size int) {
	if s == nil {
		return -1, 0
	}
	for i := from; i+1 < len(p); i++ {
		if !s.starts[p[i]] {
			continue
		}
		pair := uint16(p[i])<<8 | uint16(p[i+1])
		if s.pairs[pair/64]&(1<<(pair%64)) == 0 {
			continue
		}
		for _, f := range s.first[p[i]] {
			if len(p)-i < len(f.text) || string(p[i:i+len(f.text)]) != f.text {
				continue
			}
			if f.word && (i > 0 && wordly(p[i-1]) || i+len(f.text) < len(p) && wordly(p[i+len(f.text)])) {
				continue
			}
			return i, len(f.text)
		}
	}
	return -1, 0
}

func wordly(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// Bytes is the text without secrets: p itself when there are none.
func (s *Set) Bytes(p []byte) []byte {
	at, size := s.find(p, 0)
	if at < 0 {
		return p
	}
	out := make([]byte, 0, len(p)+len(Redacted))
	from := 0
	for at >= 0 {
		out = append(append(out, p[from:at]...), Redacted...)
		from = at + size
		at, size = s.find(p, from)
	}
	return append(out, p[from:]...)
}

// Text is Bytes for texts.
func (s *Set) Text(text string) string {
	if s == nil {
		return text
	}
	p := []byte(text)
	if !s.In(p) {
		return text
	}
	return string(s.Bytes(p))
}
