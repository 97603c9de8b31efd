package scenario

import (
	"slices"
	"strings"
)

const (
	renderPasses = 10      // a value may hold placeholders itself
	renderLimit  = 4 << 20 // bytes of a rendered text; only values that repeat themselves come near
)

// Render replaces {{name}} by vars[name], again and again while values bring new placeholders with them, ten times at
// most. Placeholders of which nothing is known stay as they are; open lists their names, sorted.
func Render(template string, vars map[string]string) (text string, open []string) {
	text = template
	for range renderPasses {
		next, changed := pass(text, vars)
		if !changed || len(next) > renderLimit {
			break
		}
		text = next
	}
	walkPlaceholders(text, func(name string, _, _ int) {
		if !slices.Contains(open, name) {
			open = append(open, name)
		}
	})
	slices.Sort(open)
	return text, open
}

func pass(text string, vars map[string]string) (string, bool) {
	var b strings.Builder
	done := 0
	walkPlaceholders(text, func(name string, from, to int) {
		if value, ok := vars[name]; ok {
			b.WriteString(text[done:from])
			b.WriteString(value)
			done = to
		}
	})
	if done == 0 {
		return text, false
	}
	b.WriteString(text[done:])
	return b.String(), true
}

// walkPlaceholders calls visit for each {{name}} with the range of bytes that it takes.
func walkPlaceholders(text string, visit func(name string, from, to int)) {
	for at := 0; ; {
		i := strings.Index(text[at:], "{{")
		if i < 0 {
			return
		}
		from := at + i
		for strings.HasPrefix(text[from+1:], "{{") { // {{{x}}} holds {{x}}
			from++
		}
		end := strings.Index(text[from:], "}}")
		if end < 0 {
			return
		}
		name := text[from+2 : from+end]
		at = from + 2
		if isName(name) {
			at = from + end + 2
			visit(name, from, at)
		}
	}
}

// Placeholders lists the names that stand in double braces, sorted, each once.
func Placeholders(template string) []string {
	var names []string
	walkPlaceholders(template, func(name string, _, _ int) { names = append(names, name) })
	slices.Sort(names)
	return slices.Compact(names)
}
