package jsonread

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"unicode/utf8"
)

// Most texts of a trial occur in the one before it, or twice in it. They are stored once.
const (
	knownTexts = 1 << 9
	longText   = 1 << 10 // bytes: longer ones are not looked for
)

// text reads a text.
func (s *scan) text() (string, bool) {
	raw, plain, ok := s.rawText()
	if !ok {
		return "", false
	}
	if plain {
		return s.known(raw[1 : len(raw)-1]), true
	}
	meant, ok := unquote(s.meant[:0], raw[1:len(raw)-1])
	if s.meant = meant; cap(meant) > longText<<4 {
		s.meant = nil
	}
	if ok {
		return s.known(meant), true
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}

// rawText goes behind a text, and returns it with its quotes. plain: it means what is written there.
func (s *scan) rawText() (raw []byte, plain, ok bool) {
	if !s.takes('"') {
		return nil, false, false
	}
	from, ascii := s.at-1, true
	plain = true
	for i := s.at; i < len(s.doc); i++ {
		switch c := s.doc[i]; {
		case c == '"':
			s.at = i + 1
			raw = s.doc[from:s.at]
			return raw, plain, ascii || utf8.Valid(raw) // what is broken becomes something else
		case c == '\\':
			n := escape(s.doc[i+1:])
			if n == 0 {
				return nil, false, false
			}
			plain = false
			i += n
		case c < ' ':
			return nil, false, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false, false
}

// escape is the length of an escape after its backslash; 0: invalid.
func escape(rest []byte) int {
	const unicode = len("u0000")
	switch {
	case len(rest) == 0:
		return 0
	case isShortEscape(rest[0]):
		return 1
	case rest[0] != 'u' || len(rest) < unicode:
		return 0
	}
	for _, c := range rest[1:unicode] {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return 0
		}
	}
	return unicode
}

func isShortEscape(c byte) bool {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

// unquote appends the decoded text. It reports false for rare escapes.
func unquote(out, raw []byte) ([]byte, bool) {
	for {
		at := bytes.IndexByte(raw, '\\')
		if at < 0 {
			return append(out, raw...), true
		}
		out = append(out, raw[:at]...)
		c := raw[at+1]
		switch raw = raw[at+2:]; c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		default:
			return out, false
		}
	}
}

// known returns a text, the same one as before where it was read before.
func (s *scan) known(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	if len(raw) > longText {
		return string(raw)
	}
	at := &s.texts[hash(raw)%knownTexts]
	if *at != string(raw) {
		*at = string(raw)
	}
	return *at
}

// hash is quick, and looks at some bytes of long texts only.
func hash(raw []byte) uint64 {
	const odd = 0x9e3779b97f4a7c15
	h, n := uint64(len(raw)), len(raw)
	if n < 8 {
		for _, c := range raw {
			h = h*31 + uint64(c)
		}
	} else {
		h = (h ^ binary.LittleEndian.Uint64(raw)) * odd
		h = (h>>32 ^ h ^ binary.LittleEndian.Uint64(raw[(n-8)/2:])) * odd
		h = h>>32 ^ h ^ binary.LittleEndian.Uint64(raw[n-8:])
	}
	return h * odd >> 32
}
