package checks

import (
	"slices"
	"strings"
	"unicode"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/textsearch"
)

// warnFilledText warns of a value of a variable, such as a cell of a dataset, that was filled in as a whole text which
// is looked for, where it lets everything pass: it stands for no value, or is no text that a reply has. It returns
// whether there is one. bans: the text must not come.
func (b *binder) warnFilledText(n *node.Node, what string, bans bool) bool {
	filled := b.own.filled[n]
	if len(filled) != 1 || filled[0].Value != n.Value || strings.TrimSpace(n.Value) == "" {
		return false
	}
	why := oddCell(n.Value, bans)
	if why == "" {
		return false
	}
	b.r.Warnf(n, "odd-value", "%s: the value of %s, %q, %s", what, filled[0].Place, n.Value, why).Hint =
		"give the text that is meant, or write the check only where there is one"
	return true
}

// oddCell says why a value is hardly what a text should be; "": it may be.
func oddCell(value string, bans bool) string {
	text := strings.TrimSpace(value)
	switch {
	case strings.TrimSpace(textsearch.Plain(text)) == "" || strings.IndexFunc(text, isSeen) < 0:
		return "shows nothing"
	case strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPunct(r) }) < 0 && len([]rune(text)) <= 3:
		if bans {
			return "is a sign and no word"
		}
		return "is a sign that most replies have"
	case !bans:
		return ""
	case isListText(text):
		return "is a list as JSON, and is looked for with its brackets"
	case standsForNothing(text):
		return "stands for no value, and no reply says it"
	case strings.ContainsAny(text, "\n\r"):
		return "has several lines, and is found only with their ends"
	}
	return ""
}

// isSeen reports whether a character shows something.
func isSeen(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != '\u3164' && r != '\u2800'
}

// isListText reports whether a text is a list as JSON.
func isListText(text string) bool {
	if !strings.HasPrefix(text, "[") {
		return false
	}
	v, err := chat.DecodeJSON([]byte(text))
	list, isList := v.([]any)
	return err == nil && isList && len(list) > 0
}

// standsForNothing reports whether people and programs write a text where there is no value.
func standsForNothing(text string) bool {
	return slices.Contains([]string{
		"n/a", "#n/a", "n.a.", "na", "null", "nil", "nan", "none", "todo", "tbd", "tba", "fixme", "undefined",
		"missing", "#ref!",
		"#value!", "#name?", "<null>", "(none)", "(empty)", "<na>",
	}, strings.ToLower(text))
}
