package jsonvalue

import "bytes"

// The functions here walk over the text of valid JSON without a copy of it. They stay inside the text whatever it is.

// Members yields the members of an object and where they begin in its text, until yield returns false. Keys are as
// written between the quotes. A text that is no object has none; one that is cut has those before the cut, of which the
// last may be cut as well.
func Members(text []byte, yield func(key, member []byte, at int) bool) {
	if len(text) == 0 || text[0] != '{' {
		return
	}
	for i := SkipSpace(text, 1); i < len(text) && text[i] == '"'; {
		end := stringEnd(text, i)
		key := text[i+1 : max(end-1, i+1)]
		i = SkipSpace(text, SkipSpace(text, end)+1) // over the colon
		if i >= len(text) {                         // the text is cut
			return
		}
		end = valueEnd(text, i)
		if !yield(key, text[i:end], i) {
			return
		}
		i = SkipSpace(text, SkipSpace(text, end)+1) // over the comma
	}
}

// Elements is Members for the elements of a list.
func Elements(text []byte, yield func(item []byte, at int) bool) {
	if len(text) == 0 || text[0] != '[' {
		return
	}
	for i := SkipSpace(text, 1); i < len(text) && text[i] != ']'; {
		end := valueEnd(text, i)
		if !yield(text[i:end], i) {
			return
		}
		i = SkipSpace(text, SkipSpace(text, end)+1) // over the comma
	}
}

// SkipSpace is the offset of what comes first, from an offset on, that is no space of JSON.
func SkipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// stringEnd returns the offset behind the string that starts at i.
func stringEnd(b []byte, i int) int {
	for j := i + 1; j < len(b); {
		quote := bytes.IndexByte(b[j:], '"')
		if quote < 0 {
			break
		}
		j += quote
		slashes := 0
		for j-1-slashes > i && b[j-1-slashes] == '\\' {
			slashes++
		}
		j++
		if slashes%2 == 0 {
			return j
		}
	}
	return len(b)
}

// valueEnd returns the offset behind the value that starts at i.
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return len(b)
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		return bracketEnd(b, i)
	}
	for i < len(b) && bytes.IndexByte([]byte(",]} \t\r\n"), b[i]) < 0 {
		i++
	}
	return i
}

func bracketEnd(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = stringEnd(b, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(b)
}
