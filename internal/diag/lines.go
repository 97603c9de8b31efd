package diag

import (
	"strings"
	"unicode/utf8"
)

// Lines splits a file into lines as its parser counts them: YAML also breaks lines at a lone carriage return, NEL, LS
// and PS, JSON at line feeds only. Line breaks and a byte order mark are cut off; invalid UTF-8 is replaced.
func Lines(file string, data []byte) []string {
	text := strings.ToValidUTF8(string(data), string(utf8.RuneError))
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.HasSuffix(strings.ToLower(file), ".json") {
		return strings.Split(text, "\n")
	}
	lines := make([]string, 0, strings.Count(text, "\n")+1)
	start := 0
	for i, c := range text {
		switch c {
		case '\n':
			if i > 0 && text[i-1] == '\r' { // the second half of CRLF
				start = i + 1
				continue
			}
		case '\r', '\u0085', '\u2028', '\u2029':
		default:
			continue
		}
		lines = append(lines, text[start:i])
		start = i + utf8.RuneLen(c)
	}
	return append(lines, text[start:])
}
