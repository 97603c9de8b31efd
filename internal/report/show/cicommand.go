package show

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Joiner is a character of no width (WORD JOINER). It separates its neighbours for a program, but not for a reader.
const Joiner = "\u2060"

// BreakCommand puts a Joiner between the two colons with which a CI command begins: the line may come from a model that
// wants to set a variable, or to hide what follows. s is the beginning of a line.
func BreakCommand(s string) string {
	if rest, ok := strings.CutPrefix(strings.TrimLeftFunc(s, IsTrimmed), "::"); ok {
		return s[:len(s)-len(rest)-1] + Joiner + ":" + rest
	}
	return s
}

// BreakMarkers puts a Joiner into the markers of other CI commands, anywhere in a line: ##[group],
// ##vso[task.setvariable], ##teamcity[message].
func BreakMarkers(s string) string {
	if !strings.Contains(s, "##") {
		return s
	}
	return markers().ReplaceAllString(s, "$1"+Joiner+"[")
}

var markers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(##[A-Za-z]*)\[`) })

// IsMarkerLetter reports whether a marker such as ##vso[ may hold the letter.
func IsMarkerLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// IsTrimmed reports whether a CI system may drop the character from the start of a line before it looks for a command.
// GitHub's runner drops all Unicode white space, and characters of no width that its comparison of texts ignores.
func IsTrimmed(c rune) bool { return unicode.IsSpace(c) || unicode.In(c, unicode.Cf, unicode.Mn) }
