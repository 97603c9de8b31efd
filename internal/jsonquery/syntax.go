package jsonquery

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"
)

// SyntaxError says where a path is invalid, what was found there and what was expected.
type SyntaxError struct {
	Column   int    // of the character, from 1
	Found    string // the text there, such as `"."`, or the end; "": see the message
	Expected string // in words
}

func (e *SyntaxError) Error() string {
	text := fmt.Sprintf("character %d: ", e.Column)
	if e.Found != "" {
		text += "found " + e.Found + ", "
	}
	return text + e.Expected
}

// foundAt is the text at a byte of a path: a word, a number or a sign.
func foundAt(text string, at int) (column int, found string) {
	at = min(max(at, 0), len(text))
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	column = utf8.RuneCountInString(text[:at]) + 1
	rest := text[at:]
	if strings.TrimSpace(rest) == "" {
		return column, "the end"
	}
	ofWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, ofWord))]
	if word == "" {
		_, size := utf8.DecodeRuneInString(rest)
		word = rest[:size]
	}
	return column, strconv.Quote(word)
}

func problemAt(text string, at int, expected string) error {
	column, found := foundAt(text, at)
	return &SyntaxError{column, found, expected}
}

// jmesSigns are the library's names of signs in an expression.
var jmesSigns = map[string]string{
	"TOKStar": "*", "TOKDot": ".", "TOKLparen": "(", "TOKRparen": ")", "TOKLbracket": "[", "TOKRbracket": "]",
	"TOKLbrace": "{", "TOKRbrace": "}", "TOKComma": ",", "TOKColon": ":", "TOKAssign": "=", "TOKPipe": "|",
}

// Messages of the library, and their meaning.
var jmesWords = []struct{ begins, means string }{
	{"Incomplete expression", "expected a name or a value"},
	{"Expected identifier, lbracket, or lbrace", "expected a name, [ or { after the point"},
	{"Expected tQuotedIdentifier or tUnquotedIdentifier", "expected a name"},
	{"Expected TOKStar", "expected a number, a slice, * or a filter ?… in the brackets"},
	{"Unexpected token at the end of the expression", "expected an operator or the end"},
	{"Unexpected token", "expected an operator or the end"},
	{"Invalid token: TOKNumber", "a number that is a value stands between backquotes: `1`"},
	{"Invalid token", "expected a name or a value"},
	{"Too many colons", "a slice has at most two colons"},
	{"Can't have quoted identifier as function name", "the name of a function has no quotes"},
	{"Invalid node as function name", "expected the name of a function before the bracket"},
	{"Unknown char", "which JMESPath does not know outside of quotes"},
}

// jmesSyntax puts an expression that cannot be parsed into our words.
func jmesSyntax(text string, err error) error {
	wrong, ok := errors.AsType[parsing.SyntaxError](err)
	if !ok {
		if strings.Contains(text, "`") {
			return errors.New("what stands between backquotes must be JSON, such as `1` or `\"text\"`")
		}
		return errors.New("a number in it cannot be read")
	}
	message := strings.TrimPrefix(wrong.Error(), "SyntaxError: ")
	if sign, unclosed := strings.CutPrefix(message, "Unclosed delimiter: "); unclosed {
		at := strings.LastIndex(text, sign) // what is begun last is open
		column, _ := foundAt(text, max(at, 0))
		return &SyntaxError{column, "", "the " + sign + " is never closed"}
	}
	for _, w := range jmesWords {
		if strings.HasPrefix(message, w.begins) {
			return problemAt(text, wrong.Offset, w.means)
		}
	}
	if name, _, is := strings.Cut(strings.TrimPrefix(message, "Expected "), ", received"); is {
		if sign := jmesSigns[name]; sign != "" {
			return problemAt(text, wrong.Offset, "expected "+sign)
		}
	}
	if word, is := strings.CutPrefix(message, "Expected keyword "); is {
		word, _, _ = strings.Cut(word, ",")
		return problemAt(text, wrong.Offset, "expected "+word)
	}
	return problemAt(text, wrong.Offset, "which cannot stand here")
}

// Messages of the JSONPath library, with position and path, and their meaning.
var (
	pathError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^(.*?) at (\d+) in `) })
	pathWords = []struct{ begins, means string }{
		{"not terminated", "expected the rest of what is begun: a bracket or a quote is not closed"},
		{"parse error", "expected . or [ or the end"},
		{"an expression fragment can not start", "expected a name, * or ["},
		{"invalid bracket fragment", "expected a name in quotes, a number, * or a filter ?… in the brackets"},
		{"expected a number", "expected a number"},
		{"invalid slice syntax", "expected a slice, such as 0:2"},
		{"invalid union syntax", "expected names in quotes or numbers, with commas between them"},
		{"equation not terminated", "expected the rest of the filter"},
		{"expected a comma or an array close", "expected , or ]"},
	}
)

// pathSyntax puts a JSONPath that cannot be parsed into our words.
func pathSyntax(text string, err error) error {
	if name, _, is := strings.Cut(text, "}"); is && strings.HasPrefix(text, "${") {
		return fmt.Errorf("%s} is not filled in here: no such variable is set, or none can stand here", name)
	}
	match := pathError().FindStringSubmatch(err.Error())
	if match == nil {
		return errors.New("it cannot be read: " + err.Error())
	}
	at, _ := strconv.Atoi(match[2]) // from 1
	for _, w := range pathWords {
		if strings.HasPrefix(match[1], w.begins) {
			return problemAt(text, at-1, w.means)
		}
	}
	column, _ := foundAt(text, at-1)
	switch {
	case strings.HasPrefix(match[1], "'' is not"):
		return problemAt(text, at-1, "expected a value: a path, a number or a text in quotes")
	case strings.HasSuffix(match[1], "is not a valid operation"):
		return &SyntaxError{column, "", strings.TrimSuffix(match[1], "is not a valid operation") +
			"is no operator of filters, such as =="}
	case strings.HasSuffix(match[1], "is not a value or function"):
		return &SyntaxError{column, "", strings.TrimSuffix(match[1], "is not a value or function") +
			"is neither a value nor a function"}
	}
	return &SyntaxError{column, "", match[1]}
}
