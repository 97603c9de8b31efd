package jsonread

import (
	"strconv"
)

// number goes behind a number, and returns how it is written. whole: it has neither a fraction nor an exponent.
func (s *scan) number() (raw []byte, whole, ok bool) {
	s.space()
	from := s.at
	digits := func() bool {
		first := s.at
		for s.at < len(s.doc) && '0' <= s.doc[s.at] && s.doc[s.at] <= '9' {
			s.at++
		}
		return s.at > first
	}
	at := func(c byte) bool { return s.at < len(s.doc) && s.doc[s.at] == c }
	if at('-') {
		s.at++
	}
	first := s.at
	if !digits() || s.doc[first] == '0' && s.at > first+1 {
		return nil, false, false
	}
	whole = true
	if at('.') {
		s.at++
		if whole = false; !digits() {
			return nil, false, false
		}
	}
	if at('e') || at('E') {
		if s.at++; at('+') || at('-') {
			s.at++
		}
		if whole = false; !digits() {
			return nil, false, false
		}
	}
	return s.doc[from:s.at], whole, true
}

// maxDigits is up to how many digits a number is read here: all of them fit into a number of 64 bits.
const maxDigits = 15

// integer reads a whole number.
func (s *scan) integer() (int64, bool) {
	raw, whole, ok := s.number()
	if !ok || !whole || len(raw) > maxDigits {
		return 0, false
	}
	return integerOf(raw), true
}

func integerOf(raw []byte) (n int64) {
	negative := raw[0] == '-'
	if negative {
		raw = raw[1:]
	}
	for _, c := range raw {
		n = n*10 + int64(c-'0')
	}
	if negative {
		return -n
	}
	return n
}

// float reads a number.
func (s *scan) float() (float64, bool) {
	raw, whole, ok := s.number()
	switch {
	case !ok:
		return 0, false
	case whole && len(raw) <= maxDigits && raw[0] != '-': // there is a negative zero
		return float64(integerOf(raw)), true
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	return n, err == nil
}
