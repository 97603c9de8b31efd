package secret

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// beginsEscape reports whether a byte may be the first of an escape.
func beginsEscape(c byte) bool { return c == '\\' || c == '&' || c == '%' }

// plainAt is the letter or digit that stands at a place, as it is or by its number, and where it ends.
func plainAt(p []byte, at int) (c byte, end int) {
	switch {
	case at >= len(p):
		return 0, nowhere
	case !beginsEscape(p[at]):
		return p[at], at + 1
	}
	r, end := numbered(p, at)
	if end < 0 || r >= utf8.RuneSelf || !isWordByte(byte(r)) {
		return 0, nowhere
	}
	return byte(r), end
}

// numbered is the character that an escape writes by its number: \u0068, \u{68}, \150, &#104; or %68, also escaped once
// more.
func numbered(p []byte, at int) (r rune, end int) {
	from := at
	for at < len(p) && p[at] == '\\' {
		at++
	}
	switch {
	case at == len(p):
		return 0, nowhere
	case at > from && '0' <= p[at] && p[at] <= '3':
		if r, ok := octal(p, at); ok {
			return r, at + 3
		}
		return 0, nowhere
	case at > from && strings.IndexByte("uxU", p[at]) >= 0:
		if r, end = goEscape(p, at); end > at+1 {
			return r, end
		}
		return 0, nowhere
	case p[at] == '&':
		return entity(p, at+1, false)
	case p[at] != '%':
		return 0, nowhere
	}
	at++
	for bytes.HasPrefix(p[at:], []byte("25")) {
		at += len("25")
	}
	if r, ok := hex(p, at, 2); ok {
		return r, at + 2
	}
	return 0, nowhere
}

// widest is how many bytes of white space with a + for some of it are one.
const widest = 256

// blanks matches white space of any kind and length. With plus, a + counts as white space, as in addresses, which hold
// no long runs.
func blanks(p []byte, at int, plus bool) int {
	from := at
	for at < len(p) && !(plus && at-from >= widest) {
		r, size := utf8.DecodeRune(p[at:])
		if !unicode.IsSpace(r) && (r != '+' || !plus) {
			char, end := escape(p, at)
			if end < 0 || !unicode.IsSpace(char) {
				char, end = numbered(p, at)
			}
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

// other matches the character, or every character of a run, in any escape but percent encoding.
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

// percent matches the percent encoding of the character, once or more often: %2F, %252F.
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

// bytewise matches the bytes of the character, each escaped by its number: \303\251, as shells and git do, or \xc3\xa9.
func (u *unit) bytewise(p []byte, at int) int {
	for i := range len(u.raw) {
		from := at
		for at < len(p) && p[at] == '\\' {
			at++
		}
		var n rune
		ok := false
		if at == from || at == len(p) {
			return nowhere
		}
		if n, ok = octal(p, at); !ok && p[at] == 'x' {
			n, ok = hex(p, at+1, 2)
		}
		if !ok || n != rune(u.raw[i]) {
			return nowhere
		}
		at += 3
	}
	return at
}

// octal reads a byte of three octal digits.
func octal(p []byte, at int) (n rune, ok bool) {
	if at+3 > len(p) || p[at] > '3' {
		return 0, false
	}
	for _, c := range p[at : at+3] {
		if c < '0' || c > '7' {
			return 0, false
		}
		n = 8*n + rune(c-'0')
	}
	return n, true
}

// hex reads a number of the given count of hexadecimal digits.
func hex(p []byte, at, digits int) (rune, bool) {
	if digits == 0 || at+digits > len(p) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(p[at:at+digits]), 16, 31)
	return rune(n), err == nil
}

// escape reads an escaped character, with backslashes, as markup or percent-encoded. It returns the character and the
// offset after it.
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

// goEscape reads an escape of Go, JSON or Python after its backslashes. Any other character stands for itself.
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
	if r, size := braced(p, at); size > 0 {
		return r, at + size
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

// braced reads u{68}, as JavaScript, Rust and Swift escape a character.
func braced(p []byte, at int) (r rune, size int) {
	if !bytes.HasPrefix(p[at:], []byte("u{")) {
		return 0, 0
	}
	digits := bytes.IndexByte(p[at+2:min(len(p), at+11)], '}')
	if r, ok := hex(p, at+2, max(digits, 0)); ok {
		return r, digits + len("u{}")
	}
	return 0, 0
}

func surrogate(p []byte, at int) (rune, bool) {
	if !bytes.HasPrefix(p[at:], []byte(`\u`)) {
		return 0, false
	}
	return hex(p, at+2, 4)
}

// entity reads what follows the & of an HTML entity such as &lt; and &#60;, also of an escaped one: &amp;lt;.
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
