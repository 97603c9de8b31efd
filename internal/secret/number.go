package secret

import (
	"bytes"
	"strings"
)

// A secret of digits may equal a number: one that arena counted, or one in the arguments of a tool call. In a JSON
// document such a number cannot be replaced like a text.

const numeric = "0123456789+-.eE"

// inNumber reports whether a hit is part of a number that is the value of a JSON object's field.
func inNumber(p []byte, from, end int) bool {
	for _, c := range p[from:end] {
		if strings.IndexByte(numeric, c) < 0 {
			return false
		}
	}
	for from > 0 && strings.IndexByte(numeric, p[from-1]) >= 0 {
		from--
	}
	for end < len(p) && strings.IndexByte(numeric, p[end]) >= 0 {
		end++
	}
	if end < len(p) && strings.IndexByte(",}] \t\r\n", p[end]) < 0 {
		return false
	}
	before, colon := bytes.CutSuffix(bytes.TrimRight(p[:from], " \t\r\n"), []byte(":"))
	key, quoted := bytes.CutSuffix(before, []byte(`"`))
	return colon && quoted && (len(key)-len(bytes.TrimRight(key, `\`)))%2 == 0
}
