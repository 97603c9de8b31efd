// Package secret removes known secrets from output. Its callers use it only for what is written, never for what is sent
// to a model or judged.
package secret

import (
	"slices"
	"strings"
	"sync"
)

// Redacted replaces a secret.
const Redacted = "[redacted]"

// Mark is the mark of a cut text. Code that cuts a text that may hold a secret must append it directly: a part of a
// secret is only found beside the mark.
const Mark = "…"

// Lengths of secrets in bytes.
const (
	// Shortest is what a secret has at least. Anything shorter is found in every text, and taking it out would leave
	// nothing to read.
	Shortest = 4
	// minSubstring is up to where a secret counts only as a word by itself.
	minSubstring = 8
	// part is how many characters of a secret beside a mark are more than may be shown; of a short secret it is more
	// than half of them.
	part = 6
)

// placeholders are values for keys that are required but not needed. They occur in every text.
var placeholders = []string{
	"admin", "anything", "api-key", "apikey", "bearer", "changeme", "default", "dummy", "empty", "false", "local",
	"localhost", "mock", "no-key", "nokey", "none", "not-needed", "null", "ollama", "password", "placeholder", "redacted",
	"secret", "stub", "test", "testing", "token", "true", "unused", "user", "xxxx",
}

// WorthHiding reports whether a text is worth hiding: it is long enough and no placeholder.
func WorthHiding(value string) bool {
	return len(value) >= Shortest && !slices.Contains(placeholders, strings.ToLower(value)) &&
		strings.Trim(value, value[:1]) != ""
}

// Set finds secrets in texts, in whatever way and however often a writer quoted and escaped them. A Set is immutable
// and safe for concurrent use. A nil Set finds nothing.
type Set struct {
	values  []string             // as they were given
	starts  [256]bool            // first bytes of the forms of a secret
	pairs   [1 << 16 / 64]uint64 // first two bytes of the forms of a secret
	first   [256][]*value        // secrets by first byte, the longest first
	longest int                  // the most bytes that a form of a secret takes in a text
	cuts    bool                 // finds parts of secrets beside a mark as well
	tails   func() *[256][]tail  // parts of secrets by first byte
	numbers bool                 // a secret may be part of a number
	plain   bool                 // a secret begins with a letter or digit, and may be escaped as a whole
	slashed bool                 // a secret begins with a backslash
	blank   bool                 // a secret begins with white space
	packed  func() *packed       // finds them in Base64; nil when that is not found
}

// value is one secret.
type value struct {
	spelling
	word bool // found only as a whole word, without a letter or digit beside it
	part int  // the least number of characters beside a mark that counts as a part
}

// Cut is the set for texts that may have been cut: it finds parts of secrets beside a Mark as well.
func (s *Set) Cut() *Set {
	if s == nil || s.cuts {
		return s
	}
	return newSet(s.values, true)
}

// tail is the rest of a secret from the character with index from.
type tail struct {
	of   *value
	from int
}

// NewSet returns a set of the values that are worth hiding; nil if none is. The set finds only whole secrets: it is for
// texts that were not cut.
func NewSet(values []string) *Set { return newSet(values, false) }

func newSet(values []string, cuts bool) *Set {
	s := &Set{values: values, cuts: cuts}
	var all []*value
	var texts []string
	for _, text := range values {
		if WorthHiding(text) {
			texts = append(texts, text)
			v := &value{spelling: spell(text), word: len(text) < minSubstring}
			v.part = min(part, len(v.spelling)/2+1)
			all = append(all, v)
			s.numbers = s.numbers || strings.Trim(text, numeric) == ""
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *value) int { return len(b.spelling) - len(a.spelling) })
	for _, v := range all {
		s.add(v)
	}
	if s.plain {
		for _, pair := range []string{
			`\u`, `\x`, `\U`, `\0`, `\1`, `\\`, `\&`, "&#", "&a", "%2", "%3", "%4", "%5", "%6", "%7",
		} {
			s.start(pair[0], pair[1])
		}
	}
	if cuts {
		s.start(Mark[0], Mark[1])
	}
	s.tails = sync.OnceValue(func() *[256][]tail { return tailsOf(all) })
	s.packed = sync.OnceValue(func() *packed { return pack(texts, cuts) })
	return s
}

func (s *Set) add(v *value) {
	s.plain = s.plain || v.spelling[0].kind == plain
	s.slashed = s.slashed || v.begins() == backslash
	s.blank = s.blank || v.begins() == blank
	for _, c := range v.spelling[0].starts() {
		s.first[c] = append(s.first[c], v)
		if v.spelling[0].kind != plain {
			for next := range 256 { // an escape may have any second byte
				s.start(c, byte(next))
			}
			continue
		}
		if len(v.spelling) == 1 { // a secret of letters and digits has more than one character
			continue
		}
		for _, next := range v.spelling[1].starts() {
			s.start(c, next)
		}
		if v.spelling[1].kind == control || v.spelling[1].kind == broken { // writers may drop or replace the second character
			for next := range 256 {
				s.start(c, byte(next))
			}
		}
	}
	s.longest = max(s.longest, v.longest())
}

func (s *Set) start(a, b byte) {
	pair := uint16(a)<<8 | uint16(b)
	s.pairs[pair/64] |= 1 << (pair % 64)
	s.starts[a] = true
}

func tailsOf(all []*value) *[256][]tail {
	var tails [256][]tail
	for _, v := range all {
		for from := 1; len(v.spelling)-from >= v.part; from++ {
			for _, c := range v.spelling[from].starts() {
				tails[c] = append(tails[c], tail{v, from})
			}
		}
	}
	return &tails
}

// In reports whether the text contains a whole secret.
func (s *Set) In(p []byte) bool {
	for from := 0; ; {
		h := s.find(p, from)
		if h.size == 0 {
			return false
		}
		if !h.cut {
			return true
		}
		from = h.at + h.size
	}
}

// hit is a part of a text that is to be redacted.
type hit struct {
	at, size int
	mark     int  // length of the mark at its start, which stays
	cut      bool // it is only a part of a secret
}

// find returns the next secret at or after an offset. Its size is 0 when there is none.
func (s *Set) find(p []byte, from int) hit { return s.next(p, from, s != nil && s.numbers) }

// block is how many bytes of a text are searched for all kinds of forms before the next are.
const block = 4096

// next is find. With numbers, it passes over secrets within the numbers of JSON fields.
func (s *Set) next(p []byte, from int, numbers bool) hit {
	if s == nil {
		return hit{}
	}
	var in64 *packed
	if len(p)-from >= leastPacked {
		in64 = s.packed()
	}
	for at := from; at < len(p); at += block {
		h, to := s.spelled(p, at, min(at+block, len(p)), numbers), at+block
		if h.size > 0 {
			to = h.at
		}
		if in64 != nil {
			if in := in64.next(p, at, to); in.size > 0 {
				return in
			}
		}
		if h.size > 0 {
			return h
		}
	}
	return hit{}
}

// spelled finds the next secret between two offsets that is written character by character.
func (s *Set) spelled(p []byte, from, to int, numbers bool) hit {
	var number numberRun
	run := runs{set: s, p: p}
	for i := from; i < to && i+1 < len(p); i++ {
		if !s.starts[p[i]] {
			continue
		}
		pair := uint16(p[i])<<8 | uint16(p[i+1])
		if s.pairs[pair/64]&(1<<(pair%64)) == 0 || run.passes(i) {
			continue
		}
		if h := s.hitAt(p, i, run.inBlanks(i)); h.size > 0 && !(numbers && number.holds(p, h.at, h.at+h.size)) {
			return h
		}
	}
	return hit{}
}

// hitAt is what begins at a place; within white space no secret that begins with some.
func (s *Set) hitAt(p []byte, i int, within bool) hit {
	if h := s.hitOf(s.first[p[i]], p, i, within); h.size > 0 {
		return h
	}
	if s.plain && beginsEscape(p[i]) {
		if c, end := plainAt(p, i); end >= 0 {
			if h := s.hitOf(s.first[c], p, i, within); h.size > 0 {
				return h
			}
		}
	}
	if begin := i + len(Mark); s.cuts && markAt(p, i) && begin < len(p) {
		c, _ := plainAt(p, begin)
		if c == 0 {
			c = p[begin]
		}
		for _, t := range s.tails()[c] {
			if end, _ := s.match(p, begin, t.of, t.from); end > begin {
				return hit{at: i, size: end - i, mark: len(Mark), cut: true}
			}
		}
	}
	return hit{}
}

// hitOf is the first of some values that matches at a position.
func (s *Set) hitOf(values []*value, p []byte, i int, within bool) hit {
	for _, v := range values {
		if v.word && inWord(p, i) || within && v.begins() == blank {
			continue
		}
		if end, cut := s.match(p, i, v, 0); end > i {
			return hit{at: i, size: end - i, cut: cut}
		}
	}
	return hit{}
}

// match looks for a secret at offset i, from its character from on. It must be complete, or be a sufficient part that a
// mark follows. end is the offset after it, negative if there is none; cut reports that it is only a part.
func (s *Set) match(p []byte, i int, v *value, from int) (end int, cut bool) {
	enough := len(v.spelling)
	if s.cuts {
		enough = from + v.part
	}
	end, whole := v.in(p, i, from, enough)
	if end >= 0 && whole && v.word && end < len(p) && isWordByte(p[end]) {
		return -1, false
	}
	return end, !whole
}

// inWord reports whether a letter or digit comes before an offset. The last letter of an escape does not count.
func inWord(p []byte, i int) bool {
	if i == 0 || !isWordByte(p[i-1]) {
		return false
	}
	return !escapeEnds(p[:i])
}

// escapeEnds reports whether a text ends with an escape of one character.
func escapeEnds(p []byte) bool {
	n := len(p)
	switch {
	case n >= 2 && p[n-2] == '\\':
		return strings.IndexByte("abfnrtv", p[n-1]) >= 0
	case n >= 3 && p[n-3] == '%':
		_, ok := hex(p, n-2, 2)
		return ok
	case n >= 4 && p[n-4] == '\\' && p[n-3] == 'x':
		_, ok := hex(p, n-2, 2)
		return ok
	case n >= 4 && p[n-4] == '\\':
		_, ok := octal(p, n-3)
		return ok
	case n >= 6 && p[n-6] == '\\' && p[n-5] == 'u':
		_, ok := hex(p, n-4, 4)
		return ok
	}
	return false
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// Bytes returns the text without secrets; the same slice if there are none. Numbers of JSON fields stay, because the
// document would be invalid without them.
func (s *Set) Bytes(p []byte) []byte {
	return s.without(p, s != nil && s.numbers)
}

func (s *Set) without(p []byte, numbers bool) []byte {
	h := s.next(p, 0, numbers)
	if h.size == 0 {
		return p
	}
	out := make([]byte, 0, len(p)+len(Redacted))
	from := 0
	for h.size > 0 {
		out = append(append(out, p[from:h.at+h.mark]...), Redacted...)
		from = h.at + h.size
		h = s.next(p, from, numbers)
	}
	return append(out, p[from:]...)
}

// Text is Bytes for a text that is not a document, even if it looks like one.
func (s *Set) Text(text string) string {
	if s == nil {
		return text
	}
	p := []byte(text)
	if s.next(p, 0, false).size == 0 {
		return text
	}
	return string(s.without(p, false))
}
