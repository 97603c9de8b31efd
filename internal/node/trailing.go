package node

import (
	"strings"
	"unicode/utf8"
)

// trailing finds a value that ends before its line does, such as {{name}} and more, or 'it's', in a line of YAML.
type trailing struct {
	col, width int // of the value and of what follows it, in runes
	msg, hint  string
}

// trailingText looks for text behind the end of a value that begins with a quote or a bracket, or behind | and >.
func trailingText(line string) (t trailing, ok bool) {
	value := valueOf(line)
	if value == "" {
		return t, false
	}
	t.col = utf8.RuneCountInString(line[:len(line)-len(value)]) + 1
	value = strings.TrimRight(value, " \r")
	t.width = utf8.RuneCountInString(value)
	if value[0] == '|' || value[0] == '>' {
		t.msg = "text cannot follow " + value[:1] + " on its line"
		t.hint = "begin it on the next line, or put the whole value in quotes"
		return t, strings.ContainsFunc(value[1:], func(r rune) bool { return r > '9' })
	}
	end := endOfValue(value)
	rest := strings.TrimLeft(value[end:], " ")
	if end == 0 || rest == "" || rest[0] == ':' || rest[0] == '#' {
		return t, false
	}
	switch {
	case t.col == 1 && value[0] == '{' && rest[0] == '{':
		t.msg = "a second JSON document follows the first on its line"
		t.hint = "write each on a line of its own, in a file .jsonl"
		t.col, t.width = utf8.RuneCountInString(value[:len(value)-len(rest)])+1, utf8.RuneCountInString(rest)
	case value[0] == '{', value[0] == '[':
		t.msg = "the value ends at " + value[end-1:end] + ", and text follows"
		t.hint = "put the whole value in quotes: " + quoteValue(value)
	default:
		t.msg = "text follows the closing quote"
		t.hint = "put the whole value in quotes, and write the quotes within it as " + value[:1] + value[:1]
		if value[0] == '"' {
			t.hint = `put the whole value in quotes, and write the quotes within it as \"`
		}
	}
	return t, true
}

// valueOf returns the text after the dashes and the key of a line.
func valueOf(line string) string {
	value := strings.TrimLeft(line, " ")
	for strings.HasPrefix(value, "- ") {
		value = strings.TrimLeft(value[2:], " ")
	}
	if value == "" || strings.ContainsRune(`"'{[|>`, rune(value[0])) {
		return value
	}
	_, value, _ = strings.Cut(value, ": ")
	if value = strings.TrimLeft(value, " "); value == "" || !strings.ContainsRune(`"'{[|>`, rune(value[0])) {
		return ""
	}
	return value
}

// endOfValue returns the length of the quoted text or of the list or map that a value begins with; 0: it has no end.
func endOfValue(value string) int {
	depth := 0
	quote := byte(0)
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote == '\'' && strings.HasPrefix(value[i:], "''"):
			i++
		case quote != 0 && c == quote:
			if quote = 0; depth == 0 {
				return i + 1
			}
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// quoteValue writes a value in the quotes that it does not hold itself.
func quoteValue(value string) string {
	const most = 60 // runes that a hint quotes
	switch {
	case utf8.RuneCountInString(value) > most:
		return `"…"`
	case !strings.ContainsAny(value, `"\`):
		return `"` + value + `"`
	}
	return "'" + strings.ReplaceAll(value, "'", "''") + "'"
}
