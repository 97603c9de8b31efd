// Package enclosed finds documents within prose: blocks of code, and JSON.
package enclosed

import (
	"slices"
	"strings"
	"unicode"
)

const fence = "```"

// HasFence reports whether a text may hold a code block.
func HasFence(text string) bool { return strings.Contains(text, fence) }

// Block returns the trimmed content of the first code block that is marked with one of some languages or not marked at
// all. Blocks of other languages are passed over whole, so that their closing fence is not taken for an opening one.
func Block(text string, languages ...string) (string, bool) {
	for work := 0; work < scanLimit; {
		start := strings.Index(text, fence)
		if start < 0 {
			break
		}
		ticks := len(text[start:]) - len(strings.TrimLeft(text[start:], "`"))
		mark := text[start : start+ticks]
		rest := text[start+ticks:]
		lineEnd := strings.IndexAny(rest, "\n`")
		if lineEnd < 0 || rest[lineEnd] == '`' { // code within a line
			_, after, closed := strings.Cut(rest, mark)
			if !closed {
				break
			}
			text = after
			continue
		}
		info, body := rest[:lineEnd], rest[lineEnd+1:]
		end, seen := closing(body, mark)
		if end < 0 {
			break
		}
		work += seen
		lang, _, _ := strings.Cut(strings.TrimSpace(info), " ")
		if lang == "" || slices.ContainsFunc(languages, func(l string) bool { return strings.EqualFold(l, lang) }) {
			return strings.TrimSpace(body[:end]), true
		}
		text = strings.TrimLeft(body[end:], "`")
	}
	return "", false
}

// closing finds the fence that ends a block: the first that begins or ends a line, else the first one; -1 when there is
// none. seen is how much of the text it took to know.
func closing(body, mark string) (end, seen int) {
	first := -1
	for from := 0; ; {
		i := strings.Index(body[from:], mark)
		if i < 0 {
			return first, len(body)
		}
		i += from
		after := i + len(mark)
		for after < len(body) && body[after] == '`' {
			after++
		}
		if blankBefore(body[:i]) || blankAfter(body[after:]) {
			return i, i
		}
		if first < 0 {
			first = i
		}
		from = after
	}
}

// blankBefore reports whether the last line of a text is blank.
func blankBefore(text string) bool {
	line := strings.TrimRightFunc(text, func(r rune) bool { return r != '\n' && unicode.IsSpace(r) })
	return line == "" || strings.HasSuffix(line, "\n")
}

// blankAfter reports whether the first line of a text is blank.
func blankAfter(text string) bool {
	line := strings.TrimLeftFunc(text, func(r rune) bool { return r != '\n' && unicode.IsSpace(r) })
	return line == "" || line[0] == '\n'
}
