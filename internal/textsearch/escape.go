package textsearch

// escape skips escape sequences of terminals (ECMA-48), such as colours and titles, which are invisible.
type escape uint8

const (
	noEscape  escape = iota
	begun            // behind ESC, and signs that need one more, as in ESC ( B
	inControl        // of CSI: up to a letter, or another sign from @ to ~
	inString         // of OSC and others: up to BEL, or to ESC \
)

const escapeSign = '\x1b'

// takes reports whether a character belongs to a sequence.
func (e *escape) takes(r rune) bool {
	switch {
	case r == escapeSign:
		*e = begun
	case *e == noEscape:
		return false
	case *e == begun && r == '[':
		*e = inControl
	case *e == begun && (r == ']' || r == 'P' || r == '^' || r == '_' || r == 'X'):
		*e = inString
	case *e == begun && r >= ' ' && r < '0':
	case *e == begun: // a sequence of two characters, or an ESC that begins none
		*e = noEscape
		return r >= '0' && r <= '~'
	case *e == inControl && (r < ' ' || r > '?'):
		*e = noEscape
		return r >= '@' && r <= '~'
	case *e == inString && (r == '\a' || r == '\n'):
		*e = noEscape
	}
	return true
}
