package show

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// AppendSign appends the visible sign for a hidden character: a control picture (␛), or its number (⟨U+200B⟩).
func AppendSign(b []byte, r rune) []byte {
	switch {
	case r < ' ':
		return utf8.AppendRune(b, 0x2400+r) // the control pictures of Unicode
	case r == 0x7F:
		return append(b, "␡"...)
	}
	return fmt.Appendf(b, "⟨U+%04X⟩", r)
}

// IsForbidden reports whether a character is never shown, whoever wrote it: a control character other than newline and
// tab, a direction mark, a line or paragraph separator, a noncharacter, or an invisible character that no script needs.
// Joiner is allowed, because arena writes it.
func IsForbidden(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < ' ', r >= 0x7F && r <= 0x9F:
		return true
	case r < 0x34F:
		return r == 0xAD
	case r > 0x3164 && r < 0xFE00: // most of what is written beyond ASCII
		return false
	case r == 0xFFFE || r == 0xFFFF:
		return true
	case isJoiner(r), r == 0x2060, unicode.Is(unicode.Prepended_Concatenation_Mark, r): // the last are seen
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// IsHidden reports whether a reader could not see an untrusted character that follows before, or would see it in the
// wrong place. Joiners and variation selectors are allowed only in emoji and the scripts that need them.
// html/assets/dom.js has the same rule for the browser.
func IsHidden(r, before rune) bool {
	switch {
	case r < 0x180B:
		return IsForbidden(r)
	case r == 0x2060:
		return true
	case isJoiner(r):
		return !takesJoiner(before)
	case unicode.Is(unicode.Variation_Selector, r):
		return !takesSelector(before)
	}
	return IsForbidden(r)
}

// isJoiner reports whether a character is the zero width joiner or non-joiner.
func isJoiner(r rune) bool { return r == 0x200C || r == 0x200D }

// takesJoiner reports whether a joiner may follow: in scripts whose letters change their shapes, and in emoji.
func takesJoiner(r rune) bool {
	switch {
	case r >= 0x590 && r < 0x2000, r >= 0xA800 && r < 0xAC00, r >= 0x10A00 && r < 0x17000:
		return unicode.In(r, unicode.L, unicode.M)
	}
	return r == 0xFE0F || r >= 0x2000 && unicode.Is(unicode.S, r)
}

// takesSelector reports whether a variation selector may follow.
func takesSelector(r rune) bool {
	switch {
	case r >= '0' && r <= '9', r == '#', r == '*', r == '©', r == '®':
		return true
	}
	return r >= 0x1000 && unicode.In(r, unicode.L, unicode.S, unicode.P)
}
