package secret

import (
	"bytes"
	"strings"
)

// A secret of digits may equal a number: one that arena counted, or one in the arguments of a tool call. In a JSON
// document such a number cannot be replaced like a text.

const numeric = "0123456789+-.eE"

// longestField is up to how many characters of a number are looked for on either side.
const longestField = 4096

// numberRun is a run of characters of numbers in a text that was looked at last.
type numberRun struct {
	from, end int
	field     bool // it is the value of a JSON object's field
}

// holds reports whether a hit is part of a number that is the value of a JSON object's field.
func (r *numberRun) holds(p []byte, from, end int) bool {
	for _, c := range p[from:end] {
		if strings.IndexByte(numeric, c) < 0 {
			return false
		}
	}
	if from < r.from || end > r.end {
		r.around(p, from, end)
	}
	return r.field
}

// around looks at the run around a hit.
func (r *numberRun) around(p []byte, from, end int) {
	least, most := from-longestField, end+longestField
	for from > max(least, 0) && strings.IndexByte(numeric, p[from-1]) >= 0 {
		from--
	}
	for end < min(most, len(p)) && strings.IndexByte(numeric, p[end]) >= 0 {
		end++
	}
	r.from, r.end = from, end
	if end < len(p) && strings.IndexByte(",}] \t\r\n", p[end]) < 0 {
		r.field = false
		return
	}
	before, colon := bytes.CutSuffix(bytes.TrimRight(p[:from], " \t\r\n"), []byte(":"))
	key, quoted := bytes.CutSuffix(before, []byte(`"`))
	r.field = colon && quoted && (len(key)-len(bytes.TrimRight(key, `\`)))%2 == 0
}
