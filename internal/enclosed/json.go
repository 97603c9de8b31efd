package enclosed

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
)

// scanLimit bounds the search for embedded JSON, which a hostile text could make quadratic.
const scanLimit = 64 << 20

// FirstJSON returns the earliest object or array in the text that is JSON.
func FirstJSON(text string) (string, bool) {
	for found := range JSON(text, nil) {
		return found, true
	}
	return "", false
}

// JSON finds the objects and arrays in a text that are JSON, in order; what is inside of one is not looked at again.
// One that is too deep for encoding/json counts as well. A search that takes too long ends early and says so in cut,
// which may be nil.
func JSON(text string, cut *bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at, work := 0, 0; ; {
			i := strings.IndexAny(text[at:], "{[")
			if i < 0 {
				return
			}
			if work >= scanLimit {
				if cut != nil {
					*cut = true
				}
				return
			}
			at += i
			end, seen := Balanced(text[at:])
			work += seen
			if end == 0 || !isJSON([]byte(text[at:at+end])) {
				at++
				continue
			}
			if !yield(text[at : at+end]) {
				return
			}
			at += end
		}
	}
}

// maxDepth is how deep a document may be for encoding/json.
const maxDepth = 10_000

// isJSON reports whether a document is JSON, as far as it can be read.
func isJSON(doc []byte) bool {
	if json.Valid(doc) {
		return true
	}
	if bytes.Count(doc, []byte("["))+bytes.Count(doc, []byte("{")) <= maxDepth {
		return false
	}
	var raw json.RawMessage
	err := json.Unmarshal(doc, &raw)
	return err != nil && strings.HasSuffix(err.Error(), "exceeded max depth")
}

// Balanced returns where the bracket at the start of the text closes, or 0, and how much of the text it took to know.
// Brackets in strings do not count.
func Balanced(text string) (end, seen int) {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if inString {
			switch c {
			case '\\':
				i++
			case '"':
				inString = false
			}
			continue
		}
		switch c {
		case '"':
			inString = true
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, i + 1
			}
		}
	}
	return 0, len(text)
}
