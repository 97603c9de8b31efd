package scenario

import (
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/ellipsis"
)

// fault is something in a text that looks like a placeholder and stands for nothing.
type fault struct {
	code, msg, hint string
	name            string // of the placeholder, where it has one
}

// isOfJudge reports whether the check that tells a judge what to do fills the placeholder itself.
func (f fault) isOfJudge() bool {
	switch strings.TrimPrefix(f.name, ".") {
	case "criteria", "rubric", "response", "conversation", "tool_calls":
		return true
	}
	return false
}

// faults finds what is left in a text after its placeholders were replaced. In a strict text, what is compared and not
// said, a known name in single braces is one too.
func (v *Values) faults(text string, strict bool) []fault {
	if !strings.ContainsRune(text, '{') && !strings.Contains(text, "<%") {
		return nil
	}
	var list []fault
	add := func(f fault) {
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
			add(fault{
				code: "foreign-template", msg: "{{" + short(inner) + "}} is no placeholder here", hint: hint + literally("{{"),
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

// halfOpen finds known names behind two braces and before one, or none.
func (v *Values) halfOpen(text string) []fault {
	var list []fault
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
		if meant := v.meant(name); meant != "" && (closed || !ends || strings.Contains(before, "{{")) {
			found := "{{" + name + "} has one brace too few"
			if !closed {
				found = "{{" + name + " has no end"
			}
			list = append(list, fault{
				code: "foreign-template", msg: found, hint: "write {{" + meant + "}}" + literally("{{"), name: name,
			})
		}
	}
}

// halfClosed finds known names behind one brace and before two. Behind another brace that is open, the last one closes
// that.
func (v *Values) halfClosed(text string) []fault {
	var list []fault
	walkSingles(text, func(name string, from int) {
		before, behind := text[:from], text[from+len(name)+2:]
		if !strings.HasPrefix(behind, "}") || strings.Count(before, "{") > strings.Count(before, "}") {
			return
		}
		if meant := v.meant(name); meant != "" {
			list = append(list, fault{
				code: "foreign-template", msg: "{" + name + "}} has one brace too few",
				hint: "write {{" + meant + "}}" + literally("{"), name: name,
			})
		}
	})
	return list
}

// meant is the variable that a name stands for, if only nearly; "" is none.
func (v *Values) meant(name string) string {
	if v.knows(name) || len(name) < 4 {
		if v.knows(name) {
			return name
		}
		return ""
	}
	return diag.Nearest(name, v.names())
}

// doubts finds single braces in what somebody says, where they may be meant as text: a known name, and any name in the
// braces of a shell.
func (v *Values) doubts(text string) []fault {
	if !strings.Contains(text, "{") || len(v.halfClosed(text)) > 0 {
		return nil
	}
	var list []fault
	walkSingles(text, func(name string, from int) {
		shell := from > 0 && text[from-1] == '$'
		f := fault{code: "foreign-template", msg: "{" + name + "} is said as it stands"}
		_, perturbed := v.Singles[name]
		switch known := v.knows(name); {
		case perturbed, known == shell: // what is known is an error with a $
			return
		case known:
			f.hint = "write {{" + name + "}} for its value" + literally("{")
		case strings.ToUpper(name) == name || strings.Contains(text, "`"):
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

func (v *Values) unknown(name string) fault {
	f := fault{code: "unknown-variable", msg: "nothing is known for {{" + name + "}}", name: name}
	if _, known := v.Vars[name]; known {
		f.msg = "{{" + name + "}} has no end: its value refers to itself"
		f.hint = "take the placeholder out of the value of " + name
		return f
	}
	_, perturbed := v.Singles[name]
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch near := diag.Nearest(name, v.names()); {
	case perturbed:
		f.hint = "a perturbation has single braces: write {" + name + "}"
	case near != "":
		f.hint = "did you mean {{" + near + "}}?"
	case last != name && v.knows(last):
		f.hint = "write {{" + last + "}}"
	default:
		f.hint = hintNames(name, v.names()) + "; set it under variables" + literally("{{")
	}
	return f
}

// foreign says what to write instead of a template of another language; "" when what stands in the braces is none.
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
	case formatted(s, word) && v.knows(word):
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

// formatted reports whether a colon and a word stand right behind a name: {{order:x}}, {{order:-none}}. Behind a blank
// there would be the value of an object.
func formatted(s, name string) bool {
	rest, colon := strings.CutPrefix(s[len(name):], ":")
	return colon && rest != "" && !strings.ContainsAny(rest, " \t\r\n\"'{},:")
}

const noLogic = "there are no conditions, loops and comments: write the text out, or put it into a variable"

func (v *Values) instead(name, why string) string {
	if last := name[strings.LastIndexByte(name, '.')+1:]; !v.knows(name) && v.knows(last) {
		name = last
	}
	return "write {{" + name + "}}: " + why
}

// nameAhead is the name with which a text begins.
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

// singles finds known names in the braces of other languages: ${name}, and {name} in a strict text.
func (v *Values) singles(text string, strict bool) []fault {
	var list []fault
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
		case v.knows(name) && (strict || before != ""):
			list = append(list, fault{
				code: "foreign-template", msg: found + " is no placeholder here", hint: "write {{" + name + "}}" + literally("{"),
			})
		case near != "" && !perturbed:
			list = append(list, fault{
				code: "unknown-variable", msg: "there is no perturbation for " + found,
				hint: "did you mean {" + near + "}?" + literally("{"),
			})
		}
	})
	return list
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

// unescapePlaces takes the backslash from \{name}: of all names where there are perturbations, and in what is compared;
// else of known ones, and behind a $.
func (v *Values) unescapePlaces(text string, all bool) string {
	for from := 0; ; {
		i := strings.Index(text[from:], `\{`)
		if i < 0 {
			return text
		}
		from += i
		name, _, closed := strings.Cut(text[from+2:], "}")
		ours := all || v.knows(name) || strings.HasSuffix(text[:from], "$")
		if closed && ours && isName(name) && escaped(text, from+1) {
			text = text[:from] + text[from+1:]
		}
		from++
	}
}

// statements finds {% if x %} and <%= x %>.
func (v *Values) statements(text string) []fault {
	var list []fault
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
			if word, _, _ := strings.Cut(s, " "); !escaped(before, len(before)) && (statement[word] || v.knows(s)) {
				list = append(list, fault{
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
