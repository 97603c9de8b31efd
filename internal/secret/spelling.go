package secret

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// spelling is a secret, character by character. Writers put secrets into JSON, Go quotes, markup, addresses and
// Markdown, and each of these into another. A spelling matches every such form.
type spelling []unit

// unit is a character of a secret, or a run of backslashes or of white space.
type unit struct {
	kind kind
	raw  string
	char rune
}

type kind uint8

const (
	plain     kind = iota // an ASCII letter or digit, escaped only where all are
	other                 // any other character: as it is or escaped
	backslash             // a run of backslashes
	blank                 // a run of white space
	control               // a control character, which some writers drop
	broken                // a byte that is not valid UTF-8
)

func spell(text string) (s spelling) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		u := unit{raw: text[i : i+size], char: r}
		u.kind = kindOf(r, size)
		if n := len(s); n > 0 && s[n-1].kind == u.kind && (u.kind == backslash || u.kind == blank) {
			s[n-1].raw += u.raw
		} else {
			s = append(s, u)
		}
		i += size
	}
	return s
}

func kindOf(r rune, size int) kind {
	switch {
	case r == utf8.RuneError && size == 1:
		return broken
	case r < utf8.RuneSelf && isWordByte(byte(r)):
		return plain
	case r == '\\':
		return backslash
	case unicode.IsSpace(r):
		return blank
	case unicode.IsControl(r):
		return control
	}
	return other
}

// begins is the kind of the first character that no writer drops.
func (s spelling) begins() kind {
	for i := range s {
		if s[i].kind != control {
			return s[i].kind
		}
	}
	return control
}

// longest is the most bytes that a secret is expected to take in a text. A secret that was escaped more often is found
// only in texts that are read as a whole.
func (s spelling) longest() (n int) {
	for i := range s {
		if s[i].kind == plain {
			n += 12
		} else {
			n += 24 * len(s[i].raw)
		}
	}
	return n + len(Mark)
}

// starts returns the first bytes of all forms of the character.
func (u *unit) starts() []byte {
	first := []byte{u.raw[0]}
	if u.kind == plain {
		return first
	}
	first = append(first, '\\', '%', '&')
	switch u.kind {
	case blank:
		first = append(first, " \t\n\r\v\f+"...)
	case broken:
		first = append(first, "\uFFFD"[0])
	case plain, other, backslash, control:
	}
	slices.Sort(first)
	return slices.Compact(first)
}

// in matches the secret from its character from on against the text at an offset. It returns the offset after the
// match, negative if there is none. A part of at least enough characters matches too if a mark follows.
func (s spelling) in(p []byte, at, from, enough int) (end int, whole bool) {
	var failed attempts
	return s.match(p, at, from, enough, &failed)
}

// attempts are characters of a secret, each with the offset at which it and what follows did not match.
type attempts map[[2]int]bool

func (s spelling) match(p []byte, at, from, enough int, failed *attempts) (end int, whole bool) {
	for from < len(s) {
		u := &s[from]
		if u.kind == plain {
			c, end := plainAt(p, at)
			if end < 0 || c != u.raw[0] {
				return s.markEnd(p, at, from, enough), false
			}
			at = end
			from++
			continue
		}
		var room [12]int
		places := distinct(u.ends(room[:0], p, min(at, len(p))))
		for _, next := range places {
			if (*failed)[[2]int{from + 1, next}] {
				continue
			}
			if end, whole = s.match(p, next, from+1, enough, failed); end >= 0 {
				return end, whole
			}
			if len(places) > 1 {
				failed.add(from+1, next)
			}
		}
		return s.markEnd(p, at, from, enough), false
	}
	return at, true
}

func (f *attempts) add(from, at int) {
	if *f == nil {
		*f = attempts{}
	}
	(*f)[[2]int{from, at}] = true
}

// distinct is the places that are some, each once.
func distinct(places []int) []int {
	kept := places[:0]
	for _, place := range places {
		if place >= 0 && !slices.Contains(kept, place) {
			kept = append(kept, place)
		}
	}
	return kept
}

// markEnd returns the offset if a mark is there and enough characters matched before it. The rest of a cut escape may
// precede the mark.
func (s spelling) markEnd(p []byte, at, reached, enough int) int {
	if reached < enough {
		return -1
	}
	if at < len(p) && (s[reached].kind != plain || beginsEscape(p[at])) {
		at += remainder(p[at:])
	}
	if markAt(p, at) {
		return at
	}
	return -1
}

// remainder returns the length of what may be the start of an escape that was cut: \\u00, \&#3, &amp;qu, %2.
func remainder(p []byte) int {
	n := 0
	for n < len(p) && p[n] == '\\' {
		n++
	}
	if n == len(p) || p[n] != '&' && p[n] != '%' && (n == 0 || !isWordByte(p[n])) {
		return n
	}
	for n++; n < len(p) && n < 24 && (isWordByte(p[n]) || strings.IndexByte("#;%{}", p[n]) >= 0); {
		n++
	}
	return n
}

func markAt(p []byte, at int) bool { return at < len(p) && bytes.HasPrefix(p[at:], []byte(Mark)) }

// nowhere is the result without a match.
const nowhere = -1

// ends appends the offsets after the forms of the character that begin at an offset. Escapes come first: when an escape
// and the bare character both match, no rest of the escape must stay.
func (u *unit) ends(to []int, p []byte, at int) []int {
	switch {
	case u.kind == blank:
		return append(to, blanks(p, at, true), blanks(p, at, false))
	case u.char == '&':
		to = ampersands(to, p, at)
		slices.Reverse(to)
	case u.kind == backslash:
		to = append(to, u.backslashes(p, at))
	case u.char == '\'':
		to = append(to, doubled(p, at))
	}
	to = append(to, u.percent(p, at), u.bytewise(p, at), u.other(p, at))
	if u.kind != backslash && bytes.HasPrefix(p[at:], []byte(u.raw)) {
		to = append(to, at+len(u.raw))
	}
	if u.kind == control || u.kind == broken { // which some writers replace
		if bytes.HasPrefix(p[at:], []byte("\uFFFD")) {
			to = append(to, at+len("\uFFFD"))
		}
		if r, end := escape(p, at); end >= 0 && r == utf8.RuneError {
			to = append(to, end)
		}
	}
	if u.kind == control {
		to = append(to, at)
	}
	return to
}

// ampersands appends the offsets after the forms of an ampersand. It may be escaped any number of times, and the secret
// itself may go on with amp;.
func ampersands(to []int, p []byte, at int) []int {
	from := at
	for at < len(p) && p[at] == '\\' {
		at++
	}
	switch r, ok := hex(p, at+1, 4); {
	case at > from && ok && p[at] == 'u' && r == '&':
		at += len("u0026")
		to = append(to, at)
	case at < len(p) && p[at] == '&':
		if at++; at-from > 1 {
			to = append(to, at)
		}
	default:
		return to
	}
	for range 4 { // no writer nests deeper
		if !bytes.HasPrefix(p[at:], []byte("amp;")) {
			break
		}
		at += len("amp;")
		to = append(to, at)
	}
	return to
}

// backslashes matches a run of backslashes that was doubled, any number of times. The ones left over belong to the
// escape after them.
func (u *unit) backslashes(p []byte, at int) int {
	run := 0
	for at+run < len(p) && p[at+run] == '\\' {
		run++
	}
	n := len(u.raw)
	if run < n {
		return nowhere
	}
	for 2*n <= run {
		n *= 2
	}
	return at + n
}

// doubled is where a single quote ends that is doubled, as in YAML, or that a shell gets by an end of the quotes, a
// backslash with a quote, and a new beginning.
func doubled(p []byte, at int) int {
	first := quoteAt(p, at)
	if first < 0 {
		return nowhere
	}
	slash := first
	if r, end := escape(p, first); end >= 0 && r == '\\' {
		slash = end
	}
	second := quoteAt(p, slash)
	if second < 0 {
		return nowhere
	}
	if slash > first || p[first] == '\\' {
		if third := quoteAt(p, second); third >= 0 {
			return third
		}
	}
	return second
}

// quoteAt is the offset after a single quote at a position, escaped or not.
func quoteAt(p []byte, at int) int {
	if at >= len(p) {
		return nowhere
	}
	if p[at] == '\'' {
		return at + 1
	}
	if r, end := escape(p, at); end >= 0 && r == '\'' {
		return end
	}
	return nowhere
}
