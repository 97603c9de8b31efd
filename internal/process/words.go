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

// oneLine makes output of a program fit for an error: valid UTF-8, on one line, without control characters.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
}
