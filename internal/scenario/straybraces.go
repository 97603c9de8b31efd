package scenario

import "strings"

// strayBrace finds a placeholder with a brace too many on one side, such as {{name}}}: what is left of it would stand
// in the text. Braces that pair with others, as in JSON, are meant. paired: {{{name}}} counts, too, as other tools
// write it.
func strayBrace(text string, paired bool) []placeholderFault {
	if !strings.Contains(text, "{{{") && !strings.Contains(text, "}}}") || strings.Contains(text, `\{`) {
		return nil
	}
	var found, name string
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
		}
	})
	if found == "" {
		return nil
	}
	return []placeholderFault{{
		code: "foreign-template", msg: found + " is filled in with a brace left beside the value",
		hint: "write {{" + name + "}}", name: name,
	}}
}
