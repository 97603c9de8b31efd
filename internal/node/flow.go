package node

import (
	"strings"
	"unicode/utf8"
)

// flowQuestion finds the first question mark in an unquoted text within { } or [ ], which the library reads as the mark
// of a key. It searches from a line to the end of the list or map that starts there. ok is false when the list or map
// is not closed, which is another mistake.
func flowQuestion(lines []string, from int) (line, col int32, ok bool) {
	depth, quote := 0, byte(0)
	found := false
	for i := from; i < len(lines); i++ {
		text := lines[i]
		for j := 0; j < len(text); j++ {
			c, starts := text[j], j == 0 || strings.IndexByte(" {[,:", text[j-1]) >= 0
			switch {
			case quote == '"' && c == '\\':
				j++
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case starts && (c == '"' || c == '\''):
				quote = c
			case starts && c == '#':
				j = len(text)
			case c == '{' || c == '[':
				depth++
			case (c == '}' || c == ']') && depth > 0:
				if depth--; depth == 0 && found {
					return line, col, true
				}
			case c == '?' && depth > 0 && !found:
				line, col, found = int32(i+1), int32(utf8.RuneCountInString(text[:j])+1), true
			}
		}
		if depth == 0 {
			return 0, 0, false
		}
	}
	return 0, 0, false
}
