package secret

import (
	"bytes"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// spelling is a secret, character by character. Writers put it into JSON, Go quotes, markup, addresses, Markdown and
// each of these into another: what stands for one character is read whatever they did, and however often.
type spelling []unit

// unit is a character of a secret, or a run of them that belong together.
type unit struct {
	kind kind
	raw  string
	char rune
}

type kind uint8

const (
	plain     kind = iota // a letter or a digit of ASCII, which nobody escapes
	other                 // what stands for itself or is escaped
	backslash             // a run of them
	blank                 // a run of white space
	control               // which some leave out
	broken                // a byte that is no UTF-8
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

// longest is how many bytes of a text a secret may take; one that was escaped more often than that is found in texts
// that are there as a whole.
func (s spelling) longest() (n int) {
	for i := range s {
		if s[i].kind == plain {
			n++
		} else {
			n += 24 * len(s[i].raw)
		}
	}
	return n + len(Mark)
}

// starts are the bytes with which the character may begin in a text.
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

// in is where the secret from one of its characters on ends in a text at a place; below 0: it does not stand there. It
// need not be whole where a mark follows on as many characters as are enough.
func (s spelling) in(p []byte, at, from, enough int) (end int, whole bool) {
	for from < len(s) {
		u := &s[from]
		if u.kind == plain {
			if at >= len(p) || p[at] != u.raw[0] {
				return s.markEnd(p, at, from, enough), false
			}
			at++
			from++
			continue
		}
		var places [12]int
		for _, next := range u.ends(places[:0], p, min(at, len(p))) {
			if next >= 0 {
				if end, whole = s.in(p, next, from+1, enough); end >= 0 {
					return end, whole
				}
			}
		}
		return s.markEnd(p, at, from, enough), false
	}
	return at, true
}

// markEnd is the place itself when a mark stands there, behind what may be left of an escape, and enough came before
// it.
func (s spelling) markEnd(p []byte, at, reached, enough int) int {
	if reached < enough {
		return -1
	}
	if at < len(p) && s[reached].kind != plain {
		at += remainder(p[at:])
	}
	if markAt(p, at) {
		return at
	}
	return -1
}

// remainder is the length of what may be an escape that was cut: \\u00, \&#3, &amp;qu, %2.
func remainder(p []byte) int {
	n := 0
	for n < len(p) && p[n] == '\\' {
		n++
	}
	if n == len(p) || p[n] != '&' && p[n] != '%' && (n == 0 || !isWordByte(p[n])) {
		return n
	}
	for n++; n < len(p) && n < 24 && (isWordByte(p[n]) || strings.IndexByte("#;%", p[n]) >= 0); {
		n++
	}
	return n
}

func markAt(p []byte, at int) bool { return at < len(p) && bytes.HasPrefix(p[at:], []byte(Mark)) }

// nowhere is where nothing ends.
const nowhere = -1

// ends adds the places at which the character may end that begins at a place of a text. Escapes come first: where both
// fit, what is left of one must not stay.
func (u *unit) ends(to []int, p []byte, at int) []int {
	switch {
	case u.kind == blank:
		return append(to, blanks(p, at, true), blanks(p, at, false))
	case u.char == '&':
		to = ampersands(to, p, at)
		slices.Reverse(to)
	case u.kind == backslash:
		to = append(to, u.backslashes(p, at))
	}
	to = append(to, u.percent(p, at), u.other(p, at))
	if u.kind != backslash && bytes.HasPrefix(p[at:], []byte(u.raw)) {
		to = append(to, at+len(u.raw))
	}
	if u.kind == control || u.kind == broken { // which some replace
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

// ampersands adds where one ends that was escaped any number of times, and that amp; may follow as a part of the text.
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
	for range 4 { // deeper is nothing nested
		if !bytes.HasPrefix(p[at:], []byte("amp;")) {
			break
		}
		at += len("amp;")
		to = append(to, at)
	}
	return to
}

// backslashes takes as many as there are when all of them were doubled, once or more often. What is left belongs to the
// escape behind it.
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

// blanks takes white space of any kind and length, in which addresses have a plus.
func blanks(p []byte, at int, plus bool) int {
	from := at
	for at < len(p) {
		r, size := utf8.DecodeRune(p[at:])
		if !unicode.IsSpace(r) && (r != '+' || !plus) {
			char, end := escape(p, at)
			if end < 0 || !unicode.IsSpace(char) {
				break
			}
			size = end - at
		}
		at += size
	}
	if at == from {
		return nowhere
	}
	return at
}

// other is where an escape of the character, or of each of a run, ends that is none of an address.
func (u *unit) other(p []byte, at int) int {
	for range utf8.RuneCountInString(u.raw) {
		r, end := escape(p, at)
		if end < 0 || r != u.char && (u.kind != broken || r != rune(u.raw[0])) {
			return nowhere
		}
		at = end
	}
	return at
}

// percent is where an escape of the character ends that is one of an address: %2F, or %252F.
func (u *unit) percent(p []byte, at int) int {
	for i := range len(u.raw) {
		if at >= len(p) || p[at] != '%' {
			return nowhere
		}
		at++
		for bytes.HasPrefix(p[at:], []byte("25")) && (u.raw[i] != '%' || bytes.HasPrefix(p[at:], []byte("2525"))) {
			at += len("25")
		}
		if n, ok := hex(p, at, 2); !ok || n != rune(u.raw[i]) {
			return nowhere
		}
		at += 2
	}
	return at
}

// hex reads a number of so many digits.
func hex(p []byte, at, digits int) (rune, bool) {
	if digits == 0 || at+digits > len(p) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(p[at:at+digits]), 16, 31)
	return rune(n), err == nil
}

// escape is the character that stands behind backslashes, as markup or in an address, and where that ends.
func escape(p []byte, at int) (r rune, end int) {
	from := at
	for at < len(p) && p[at] == '\\' {
		at++
	}
	switch slashes := at > from; {
	case at == len(p):
		return 0, nowhere
	case p[at] == '&':
		return entity(p, at+1, slashes)
	case slashes:
		return goEscape(p, at)
	case p[at] == '%':
		if r, ok := hex(p, at+1, 2); ok {
			return r, at + 3
		}
	}
	return 0, nowhere
}

// goEscape is the character that stands for another one behind backslashes in Go, JSON and Python, or for itself.
func goEscape(p []byte, at int) (r rune, end int) {
	if letter := strings.IndexByte("abfnrtv", p[at]); letter >= 0 {
		return rune("\a\b\f\n\r\t\v"[letter]), at + 1
	}
	digits := 0
	switch p[at] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	}
	if r, ok := hex(p, at+1, digits); ok {
		at += 1 + digits
		if low, ok := surrogate(p, at); ok && utf16.IsSurrogate(r) {
			return utf16.DecodeRune(r, low), at + len(`\udc00`)
		}
		if r == '&' {
			return entity(p, at, true)
		}
		return r, at
	}
	r, size := utf8.DecodeRune(p[at:])
	return r, at + size
}

func surrogate(p []byte, at int) (rune, bool) {
	if !bytes.HasPrefix(p[at:], []byte(`\u`)) {
		return 0, false
	}
	return hex(p, at+2, 4)
}

// entity reads what stands behind the & of &lt; and &#60;, and of &amp;lt; as well.
func entity(p []byte, at int, itself bool) (r rune, end int) {
	for bytes.HasPrefix(p[at:], []byte("amp;")) {
		at, itself = at+len("amp;"), true
	}
	if stop := bytes.IndexByte(p[at:min(len(p), at+10)], ';'); stop > 0 {
		text := html.UnescapeString("&" + string(p[at:at+stop+1]))
		if r, size := utf8.DecodeRuneInString(text); size == len(text) {
			return r, at + stop + 1
		}
	}
	if itself {
		return '&', at
	}
	return 0, nowhere
}
