package dial

import "unicode/utf8"

// Package charmap of golang.org/x/text brings the tables of forty character sets along, 90 KB of the program. Three are
// read here, which differ from the first 256 characters of Unicode in few places.

// singleByte decodes a character set of one byte a character. It has the characters that are not those of Unicode by
// the same number; utf8.RuneError: the byte means nothing.
type singleByte map[byte]rune

var (
	latin1 = singleByte{}
	latin9 = withoutControls(singleByte{
		0xA4: '€', 0xA6: 'Š', 0xA8: 'š', 0xB4: 'Ž', 0xB8: 'ž', 0xBC: 'Œ', 0xBD: 'œ', 0xBE: 'Ÿ',
	})
	windows1252 = singleByte{
		0x80: '€', 0x81: utf8.RuneError, 0x82: '‚', 0x83: 'ƒ', 0x84: '„', 0x85: '…', 0x86: '†', 0x87: '‡',
		0x88: 'ˆ', 0x89: '‰', 0x8A: 'Š', 0x8B: '‹', 0x8C: 'Œ', 0x8D: utf8.RuneError, 0x8E: 'Ž', 0x8F: utf8.RuneError,
		0x90: utf8.RuneError, 0x91: '‘', 0x92: '’', 0x93: '“', 0x94: '”', 0x95: '•', 0x96: '–', 0x97: '—',
		0x98: '˜', 0x99: '™', 0x9A: 'š', 0x9B: '›', 0x9C: 'œ', 0x9D: utf8.RuneError, 0x9E: 'ž', 0x9F: 'Ÿ',
	}
)

// withoutControls is a character set in which the bytes 0x80 to 0x9F mean nothing.
func withoutControls(s singleByte) singleByte {
	for c := byte(0x80); c <= 0x9F; c++ {
		s[c] = utf8.RuneError
	}
	return s
}

func (s singleByte) decode(body []byte) ([]byte, error) {
	text := make([]byte, 0, len(body)+len(body)/8)
	for _, c := range body {
		r, other := s[c]
		if !other {
			r = rune(c)
		}
		text = utf8.AppendRune(text, r)
	}
	return text, nil
}
