package jsonvalue

import "bytes"

// Deeper reports whether lists and objects of a JSON document stand within each other more often than so.
func Deeper(doc []byte, limit int) bool {
	if bytes.Count(doc, []byte("["))+bytes.Count(doc, []byte("{")) <= limit { // nearly always
		return false
	}
	s, depth := keyScan{doc: doc}, 0
	for s.at < len(doc) {
		switch doc[s.at] {
		case '"':
			s.text()
			continue
		case '[', '{':
			if depth++; depth > limit {
				return true
			}
		case ']', '}':
			depth--
		}
		s.at++
	}
	return false
}
