package show

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Joiner is a character of no width that keeps its neighbours together, and apart for a program.
const Joiner = "\u2060"

// NoCommand breaks up what a CI system would take for a command to itself: a log line that begins with two colons may
// come from a model that wants to set a variable or hide what follows. s is the beginning of a line.
func NoCommand(s string) string {
	if rest, ok := strings.CutPrefix(strings.TrimLeftFunc(s, Trimmed), "::"); ok {
		return s[:len(s)-len(rest)-1] + Joiner + ":" + rest
	}
	return s
}

// NoMark breaks up the marks by which CI systems know their other commands, wherever in a line they stand: ##[group],
// ##vso[task.setvariable], ##teamcity[message].
func NoMark(s string) string {
	if !strings.Contains(s, "##") {
		return s
	}
	return marks().ReplaceAllString(s, "$1"+Joiner+"[")
}

var marks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(##[A-Za-z]*)\[`) })

// Letter tells the letters that a mark may hold.
func Letter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// Trimmed tells what a CI system may take away from the start of a line before it looks for a command: what the runner
// of GitHub does, all white space of Unicode, and what has no width and does not count where texts are compared.
func Trimmed(c rune) bool { return unicode.IsSpace(c) || unicode.In(c, unicode.Cf, unicode.Mn) }
