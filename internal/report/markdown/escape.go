package markdown

import (
	"html"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/report/show"
)

// maxName bounds names and other inline text, in bytes.
const maxName = 160

// joiner is a character of no width. GitHub looks for @people, #issues and addresses after it has rendered the
// Markdown: a backslash alone does not keep it from finding them.
const joiner = "\u2060"

// inline escapes untrusted text for a line of Markdown or a table cell.
func inline(s string) string {
	s = show.Clip(show.Line(s), maxName)
	var b strings.Builder
	for i, r := range s {
		switch r {
		case '|':
			b.WriteString("&#124;") // also within a table
			continue
		case '\\', '`', '*', '_', '[', ']', '<', '>', '~', '&', '$', '@', '#':
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		if startsReference(s[:i], r, s[i+utf8.RuneLen(r):]) {
			b.WriteString(joiner)
		}
	}
	return b.String()
}

// startsReference reports whether GitHub may read a name, a number, an address or an emoji after the character r.
func startsReference(before string, r rune, after string) bool {
	switch r {
	case '@', '#', ':':
		return after != "" && after[0] != ' '
	case '.':
		return strings.HasSuffix(strings.ToLower(before), "www")
	case '-':
		return strings.HasSuffix(strings.ToLower(before), "gh")
	}
	return false
}

// summary escapes untrusted text for an HTML element.
func summary(s string) string {
	s = show.Clip(show.Line(s), maxName)
	var b strings.Builder
	for i, r := range s {
		b.WriteString(html.EscapeString(string(r)))
		if startsReference(s[:i], r, s[i+utf8.RuneLen(r):]) {
			b.WriteString(joiner)
		}
	}
	return b.String()
}

// code is a span of code with untrusted text. It does not work in tables.
func code(s string) string {
	s = show.Line(s)
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// fenced is a block of code whose fence is longer than any in the untrusted text.
func fenced(language, text string) string {
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// longestRun is the length of the longest run of backticks.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
