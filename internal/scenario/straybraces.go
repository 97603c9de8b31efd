package scenario

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
)

// strayBrace finds a placeholder with an extra brace on one side, such as {{name}}}: the brace would stay in the text.
// Braces that pair with others, as in JSON, are intended. With paired {{{name}}} counts too, which other tools use;
// otherwise it is a doubt, unless a word precedes it, as in \frac{{{name}}}.
func strayBrace(text string, paired bool) []placeholderFault {
	if !strings.Contains(text, "{{{") && !strings.Contains(text, "}}}") || strings.Contains(text, `\{`) {
		return nil
	}
	var found, name string
	doubt := false
	outside := strings.Count(text, "{") - strings.Count(text, "}") // those of placeholders are as many on either side
	walkPlaceholders(text, func(inner string, from, to int) {
		before, behind := from > 0 && text[from-1] == '{', to < len(text) && text[to] == '}'
		switch {
		case found != "":
		case outside > 0 && before:
			found, name = text[from-1:to], inner
		case outside < 0 && behind:
			found, name = text[from:to+1], inner
		case paired && outside == 0 && before && behind:
			found, name = text[from-1:to+1], inner
		case outside == 0 && before && behind && !endsInWord(text[:from-1]):
			found, name, doubt = text[from-1:to+1], inner, true
		}
	})
	if found == "" {
		return nil
	}
	return []placeholderFault{{
		code: "foreign-template", msg: found + " is filled in with a brace left beside the value",
		hint: "write {{" + name + "}}", name: name, doubt: doubt,
	}}
}

// endsInWord reports whether a text ends in a letter, a digit, or a character that joins it to following braces.
func endsInWord(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune(`\}_^$`, last)
}

// addTo adds the fault to a list; a doubt is a warning.
func (f *placeholderFault) addTo(list *diag.List, pos diag.Pos, width int, msg string) {
	add := list.Errorf
	if f.doubt {
		add = list.Warnf
	}
	add(pos, width, f.code, "%s", msg).Hint = f.hint
}
