package process

import (
	"fmt"
	"strings"
	"unicode"
)

const (
	shown     = 200 // characters of a program's output, in an error
	lastWords = 300 // characters of stderr, in an error
)

// Ended adds the name of the program and the end of its stderr to an error.
func Ended(command string, err error, stderr string) error {
	text := []rune(oneLine(stderr))
	if len(text) > lastWords {
		text = append([]rune("…"), text[len(text)-lastWords:]...)
	}
	if len(text) == 0 {
		return fmt.Errorf("%s: %w", command, err)
	}
	return fmt.Errorf("%s: %w; stderr: %s", command, err, string(text))
}

// Excerpt is the start of a program's output, quoted.
func Excerpt(text []byte) string {
	runes := []rune(oneLine(string(text[:min(len(text), 4*shown)])))
	if len(runes) > shown || len(text) > 4*shown {
		runes = append(runes[:min(len(runes), shown)], '…')
	}
	return fmt.Sprintf("%q", string(runes))
}

// oneLine makes output of a program fit for an error: valid UTF-8, on one line, with visible signs for control
// characters.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsPrint(r):
			return r
		case r < ' ':
			return 0x2400 + r // the control pictures of Unicode: ␛
		case r == 0x7f:
			return '␡'
		}
		return unicode.ReplacementChar
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}
