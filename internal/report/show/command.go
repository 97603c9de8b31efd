package show

import "strings"

// joiner is a character of no width that keeps its neighbours together, and apart for a program.
const joiner = "\u2060"

// NoCommand breaks up what a CI system would take for a command to itself: a log line that begins with two colons may
// come from a model that wants to set a variable or hide what follows. s is the beginning of a line.
func NoCommand(s string) string {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(s, " "), "::"); ok {
		return s[:len(s)-len(rest)-1] + joiner + ":" + rest
	}
	return s
}

// NoMark breaks up the marks by which other CI systems know their commands, wherever in a line they stand.
func NoMark(s string) string { return strings.ReplaceAll(s, "##[", "##"+joiner+"[") }
