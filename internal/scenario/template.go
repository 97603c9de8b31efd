package scenario

import (
	"slices"
	"strings"
)

const (
	renderPasses = 10      // a value may have placeholders itself
	renderLimit  = 4 << 20 // bytes of a rendered text; only recursive values come near it
)

// Render replaces {{name}} by vars[name], repeatedly while values contain placeholders, at most ten times. Unknown
// placeholders stay; open lists their names, sorted. A backslash escapes the braces and is removed: \{{name}} becomes
// {{name}}. Two backslashes become one.
func Render(template string, vars map[string]string) (text string, open []string) {
	text = expand(template, vars)
	return unescape(text), Placeholders(text)
}

// expand is Render without removing backslashes.
func expand(text string, vars map[string]string) string {
	for range renderPasses {
		next, changed := renderPass(text, vars)
		if !changed || len(next) > renderLimit {
			break
		}
		text = next
	}
	return text
}

func renderPass(text string, vars map[string]string) (string, bool) {
	var b strings.Builder
	done := 0
	walkPlaceholders(text, func(name string, from, to int) {
		if value, ok := vars[name]; ok {
			b.WriteString(text[done : from-backslashes(text[done:from])/2])
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

// walkPlaceholders calls visit for each {{name}} with its range in bytes.
func walkPlaceholders(text string, visit func(name string, from, to int)) {
	walkBraces(text, func(inner string, from, to int) bool {
		if !isName(inner) {
			return false
		}
		visit(inner, from, to)
		return true
	})
}

// walkBraces calls visit for each pair of double braces, with its range in bytes. visit returns whether to continue
// after it; otherwise the search continues within.
func walkBraces(text string, visit func(inner string, from, to int) bool) {
	for at := 0; ; {
		i := strings.Index(text[at:], "{{")
		if i < 0 {
			return
		}
		from := at + i
		if escaped(text, from) {
			at = from + len(text[from:]) - len(strings.TrimLeft(text[from:], "{"))
			continue
		}
		for strings.HasPrefix(text[from+1:], "{{") { // {{{x}}} contains {{x}}
			from++
		}
		end := strings.Index(text[from:], "}}")
		if end < 0 {
			return
		}
		at = from + 2
		if visit(text[from+2:from+end], from, from+end+2) {
			at = from + end + 2
		}
	}
}

// escaped reports whether the braces at a position are escaped. A backslash escapes a second one.
func escaped(text string, at int) bool { return backslashes(text[:at])%2 == 1 }

// backslashes counts the backslashes at the end of a text.
func backslashes(text string) int { return len(text) - len(strings.TrimRight(text, `\`)) }

// unescape removes every second backslash before {{ and {%.
func unescape(text string) string {
	if !strings.Contains(text, `\{`) {
		return text
	}
	return beforeBraces(text, func(n int) int { return n / 2 })
}

// Literal escapes a text so that Render returns it unchanged.
func Literal(text string) string {
	return beforeBraces(text, func(n int) int { return 2*n + 1 })
}

// beforeBraces changes the number of backslashes before {{ and {%.
func beforeBraces(text string, change func(int) int) string {
	var b strings.Builder
	for {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			break
		}
		rest := strings.TrimLeft(text[at:], "{")
		end := len(text) - len(rest)
		n := 0
		if end-at > 1 || strings.HasPrefix(rest, "%") {
			n = backslashes(text[:at])
			b.WriteString(text[:at-n] + strings.Repeat(`\`, change(n)))
		} else {
			b.WriteString(text[:at])
		}
		b.WriteString(text[at:end])
		text = rest
	}
	return b.String() + text
}

// Placeholders lists the names in double braces, sorted, each once.
func Placeholders(template string) []string {
	var names []string
	walkPlaceholders(template, func(name string, _, _ int) { names = append(names, name) })
	slices.Sort(names)
	return slices.Compact(names)
}
