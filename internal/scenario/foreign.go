package scenario

import (
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/ellipsis"
)

// placeholderFault is a mistake in a placeholder: it would stay in the text.
type placeholderFault struct {
	code, msg, hint string
	name            string // of the placeholder, where it has one
	doubt           bool   // it may be intended
}

// isOfJudge reports whether the placeholder is one that judges' checks fill in.
func (f placeholderFault) isOfJudge() bool {
	switch strings.TrimPrefix(f.name, ".") {
	case "criteria", "rubric", "response", "conversation", "tool_calls":
		return true
	}
	return false
}

// faults finds mistakes that remain in a text after replacement. In a strict text, which is compared and not sent,
// known names in single braces count too.
func (v *Values) faults(text string, strict bool) []placeholderFault {
	if !strings.ContainsRune(text, '{') && !strings.Contains(text, "<%") {
		return nil
	}
	var list []placeholderFault
	add := func(f placeholderFault) {
		if !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	walkBraces(text, func(inner string, _, _ int) bool {
		if isName(inner) {
			add(v.unknown(inner))
			return true
		}
		if hint := v.foreign(inner); hint != "" {
			add(placeholderFault{
				code: "foreign-template", msg: "{{" + short(inner) + "}} is not a placeholder", hint: hint + literally("{{"),
				name: strings.TrimSpace(inner),
			})
			return true
		}
		return false
	})
	for _, f := range v.halfOpen(text) {
		add(f)
	}
	closed := v.halfClosed(text)
	for _, f := range closed {
		add(f)
	}
	if len(closed) == 0 {
		for _, f := range v.singles(text, strict) {
			add(f)
		}
	}
	for _, f := range v.statements(text) {
		add(f)
	}
	return list
}

func literally(braces string) string { return `; for the braces themselves write \` + braces }

// halfOpen finds known names with two opening braces and one or no closing brace.
func (v *Values) halfOpen(text string) []placeholderFault {
	var list []placeholderFault
	for at := 0; ; {
		i := strings.Index(text[at:], "{{")
		if i < 0 {
			return list
		}
		from := at + i
		rest := strings.TrimLeft(text[from:], "{")
		at = len(text) - len(rest)
		name := nameAhead(rest)
		behind := rest[len(name):]
		if strings.HasPrefix(behind, "}}") || escaped(text, from) || name == "" {
			continue
		}
		closed := strings.HasPrefix(behind, "}")
		before, _, ends := strings.Cut(behind, "}}")
		if meant := v.nearest(name); meant != "" && (closed || !ends || strings.Contains(before, "{{")) {
			found := "{{" + name + "} has one brace too few"
			if !closed {
				found = "{{" + name + " has no end"
			}
			list = append(list, placeholderFault{
				code: "foreign-template", msg: found, hint: "write {{" + meant + "}}" + literally("{{"), name: name,
			})
		}
	}
}

// halfClosed finds known names with one opening and two closing braces.
func (v *Values) halfClosed(text string) []placeholderFault {
	var list []placeholderFault
	walkSingles(text, func(name string, from int) {
		before, behind := text[:from], text[from+len(name)+2:]
		if !strings.HasPrefix(behind, "}") || strings.Count(before, "{") > strings.Count(before, "}") {
			return
		}
		if meant := v.nearest(name); meant != "" {
			list = append(list, placeholderFault{
				code: "foreign-template", msg: "{" + name + "}} has one brace too few",
				hint: "write {{" + meant + "}}" + literally("{"), name: name,
			})
		}
	})
	return list
}

// nearest is the variable with the nearest name; "": none.
func (v *Values) nearest(name string) string {
	if v.has(name) || len(name) < 4 {
		if v.has(name) {
			return name
		}
		return ""
	}
	return diag.Nearest(name, v.names())
}

// doubts finds single braces in a user's text that may be intended: known names, and names in braces of a shell.
func (v *Values) doubts(text string) []placeholderFault {
	if !strings.Contains(text, "{") || len(v.halfClosed(text)) > 0 {
		return nil
	}
	var list []placeholderFault
	walkSingles(text, func(name string, from int) {
		shell := from > 0 && text[from-1] == '$'
		f := placeholderFault{code: "foreign-template", msg: "{" + name + "} is sent as written, braces included"}
		_, perturbed := v.Singles[name]
		switch known := v.has(name); {
		case perturbed, known == shell: // what is known is an error with a $
			return
		case known:
			f.hint = "write {{" + name + "}} for its value" + literally("{")
		case strings.Contains(text, "`"), !shell && strings.ToUpper(name) == name:
			return // code
		default:
			f.msg, f.hint = "$"+f.msg, "a variable is written {{"+name+"}}; for the braces themselves write $\\{"+name+"}"
			if near := diag.Nearest(name, v.names()); near != "" {
				f.hint = "did you mean {{" + near + "}}? For the braces themselves write $\\{" + name + "}"
			}
		}
		if !slices.Contains(list, f) {
			list = append(list, f)
		}
	})
	return list
}

func (v *Values) unknown(name string) placeholderFault {
	f := placeholderFault{code: "unknown-variable", msg: "no variable is named {{" + name + "}}", name: name}
	if _, known := v.Vars[name]; known {
		f.msg = "{{" + name + "}} has no end: its value refers to itself"
		f.hint = "take the placeholder out of the value of " + name
		return f
	}
	if slices.Contains(v.Empty, name) {
		f.msg = "the variable {{" + name + "}} has no value"
		f.hint = "give it a default below variables of the prompt, vars in prompt_configs, or a value below variables of " +
			"the scenario"
		return f
	}
	if _, isField := slices.BinarySearch(v.fields, name); isField {
		f.code, f.msg, f.hint = "missing-field", "the row has no value for {{"+name+"}}", ""
		return f
	}
	_, perturbed := v.Singles[name]
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch near := diag.Nearest(name, v.names()); {
	case perturbed:
		f.hint = "a perturbation has single braces: write {" + name + "}"
	case near != "":
		f.hint = "did you mean {{" + near + "}}?"
	case last != name && v.has(last):
		f.hint = "write {{" + last + "}}"
	default:
		f.hint = hintNames(name, v.names()) + "; set it under variables" + literally("{{")
	}
	return f
}

// foreign is a hint for template syntax of other tools; "" when the braces hold none.
func (v *Values) foreign(inner string) string {
	s := strings.TrimSpace(strings.Trim(strings.TrimSpace(inner), "-~"))
	if s == "" {
		return ""
	}
	if isName(s) {
		return v.instead(s, "a placeholder has no spaces and no dashes around its name")
	}
	if strings.ContainsRune(".#/^>&!*@$", rune(s[0])) {
		name := strings.TrimLeft(s, ".#/^>&!*@$ ")
		switch {
		case isName(name) && strings.ContainsRune(".&$@", rune(s[0])):
			return v.instead(name, "a placeholder is the name alone")
		case name != "" && isName(name[:1]) || strings.HasPrefix(s, "/*") || s[0] == '!':
			return noLogic
		}
		return ""
	}
	word := nameAhead(s)
	if word == "" {
		return ""
	}
	rest := strings.TrimLeft(s[len(word):], " ")
	switch {
	case formatted(s, word) && v.has(word):
		return v.instead(word, "there are no formats and defaults: a variable holds the text that is meant")
	case rest == "" || rest[0] == ':' || rest[0] == ',':
		return "" // {{a: 1}} is an object, {{a, b}} a set
	case strings.ContainsRune("|([", rune(rest[0])):
		return v.instead(word, "there are no filters and functions: a variable holds the text that is meant")
	case len(rest) < len(s)-len(word) || rest[0] == '.':
		return noLogic
	}
	return ""
}

// formatted reports whether a colon and a word follow a name: {{order:x}}, {{order:-none}}.
func formatted(s, name string) bool {
	rest, colon := strings.CutPrefix(s[len(name):], ":")
	return colon && rest != "" && !strings.ContainsAny(rest, " \t\r\n\"'{},:")
}

const noLogic = "there are no conditions, loops and comments: write the text out, or put it into a variable"

func (v *Values) instead(name, why string) string {
	if last := name[strings.LastIndexByte(name, '.')+1:]; !v.has(name) && v.has(last) {
		name = last
	}
	return "write {{" + name + "}}: " + why
}

// nameAhead is the name at the start of a text.
func nameAhead(s string) string {
	end := 0
	for i, r := range s {
		if !isName("_" + string(r)) {
			break
		}
		end = i + len(string(r))
	}
	if word := strings.TrimRight(s[:end], ".-"); isName(word) {
		return word
	}
	return ""
}

// singles finds known names in braces of other tools: ${name}, and {name} in a strict text.
func (v *Values) singles(text string, strict bool) []placeholderFault {
	var list []placeholderFault
	walkSingles(text, func(name string, from int) {
		before := ""
		if from > 0 && text[from-1] == '$' {
			before = "$"
		}
		found := before + "{" + name + "}"
		near := ""
		if strict && len(name) > 2 {
			near = diag.Nearest(name, slices.Collect(maps.Keys(v.Singles)))
		}
		switch _, perturbed := v.Singles[name]; {
		case v.has(name) && (strict || before != ""):
			list = append(list, placeholderFault{
				code: "foreign-template", msg: found + " is not a placeholder", hint: "write {{" + name + "}}" + literally("{"),
			})
		case near != "" && !perturbed:
			list = append(list, placeholderFault{
				code: "unknown-variable", msg: "there is no perturbation for " + found,
				hint: "did you mean {" + near + "}?" + literally("{"),
			})
		}
	})
	if strict && len(v.Singles) > 0 {
		list = append(list, v.spaced(text)...)
	}
	return list
}

// spaced finds the names of perturbations with blanks beside them in their braces: { name }.
func (v *Values) spaced(text string) (list []placeholderFault) {
	walkSpaced(text, func(inner, name string) {
		if _, perturbed := v.Singles[name]; perturbed {
			list = append(list, placeholderFault{
				code: "foreign-template", msg: "{" + inner + "} is no placeholder here",
				hint: "write {" + name + "}" + literally("{"),
			})
		}
	})
	return list
}

// walkSpaced calls visit for each name with blanks beside it in single braces.
func walkSpaced(text string, visit func(inner, name string)) {
	for at := 0; at < len(text); at++ {
		if text[at] != '{' || escaped(text, at) {
			continue
		}
		inner, _, closed := strings.Cut(text[at+1:], "}")
		if name := strings.TrimSpace(inner); closed && name != inner && isName(name) {
			visit(inner, name)
		}
	}
}

// walkSingles calls visit for each {name} that is not in double braces.
func walkSingles(text string, visit func(name string, from int)) {
	for at := 0; at < len(text); at++ {
		if text[at] != '{' {
			continue
		}
		if strings.HasPrefix(text[at:], "{{") {
			at += len(text[at:]) - len(strings.TrimLeft(text[at:], "{")) - 1
			continue
		}
		name, _, closed := strings.Cut(text[at+1:], "}")
		if closed && !escaped(text, at) && isName(name) {
			visit(name, at)
		}
	}
}

// unescapePlaces removes the backslash of \{name}: for all names if there are perturbations, and in compared texts;
// otherwise for known ones, and after a $.
func (v *Values) unescapePlaces(text string, all bool) string {
	for from := 0; ; {
		i := strings.Index(text[from:], `\{`)
		if i < 0 {
			return text
		}
		from += i
		name, _, closed := strings.Cut(text[from+2:], "}")
		ours := all || v.has(name) || strings.HasSuffix(text[:from], "$")
		if closed && ours && isName(name) && escaped(text, from+1) {
			text = text[:from] + text[from+1:]
		}
		from++
	}
}

// statements finds {% if x %} and <%= x %>.
func (v *Values) statements(text string) []placeholderFault {
	var list []placeholderFault
	for _, tag := range []struct{ open, end string }{{"{%", "%}"}, {"<%", "%>"}} {
		rest := text
		for {
			before, after, found := strings.Cut(rest, tag.open)
			inner, behind, closed := strings.Cut(after, tag.end)
			if !found || !closed {
				break
			}
			rest = behind
			s := strings.Trim(inner, "-=+ ")
			if word, _, _ := strings.Cut(s, " "); !escaped(before, len(before)) && (statement[word] || v.has(s)) {
				list = append(list, placeholderFault{
					code: "foreign-template", msg: tag.open + short(inner) + tag.end + " is no template here",
					hint: noLogic + literally(tag.open),
				})
			}
		}
	}
	return list
}

var statement = map[string]bool{
	"if": true, "for": true, "else": true, "elif": true, "endif": true, "endfor": true, "set": true, "raw": true,
	"endraw": true, "include": true, "block": true, "endblock": true, "macro": true, "extends": true,
}

func short(s string) string { return ellipsis.Runes(s, 40) }
