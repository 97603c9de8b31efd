package checks

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/node"
)

// A slip in YAML turns a text into another text. When the check requires the text, the slip shows: the check fails.
// When the check forbids the text, nothing shows, because the other text is never found. So slips are looked for there.

// slip says what a text looks like, and how to write what was probably meant.
type slip struct{ looks, hint string }

// findSlip finds a slip in a text that the check forbids; nil is none. alone: the text stands where a list could stand.
// forms: the check looks for other forms of the text by itself; see writtenForms.
func findSlip(n *node.Node, alone, forms bool) *slip {
	text, plain := n.Value, node.IsPlain(n)
	bare := strings.TrimSpace(text)
	first, size := utf8.DecodeRuneInString(text)
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	switch {
	case plain && node.IsAnyBool(n):
		return &slip{"is true or false to other readers of YAML, and text here", `quote it: "` + text + `"`}
	case bare != text && bare != "" && !node.IsBlock(n):
		return &slip{"is looked for with the blanks around it", `write "` + bare + `"`}
	case alone && len(inner) == len(text)-2 && strings.TrimSpace(inner) != "":
		return &slip{"looks like a list, and is looked for with its brackets", "write it without quotes: [" + inner + "]"}
	case inCurlyQuotes(text):
		return &slip{"is looked for with its curly quotes", `write them straight: "` + strings.Trim(text, curlyQuotes) + `"`}
	case plain && first == '-' && len(text) > size && unicode.IsLetter([]rune(text)[1]):
		return &slip{"looks like an entry of a list, and is looked for with its dash",
			"write a blank behind the dash, or quotes around the text"}
	case plain && comment().MatchString(text):
		at := strings.Index(text, "# ")
		return &slip{"is searched for with the text after the #",
			"for a comment write a blank before it: " + text[:at] + " " + text[at:]}
	case slashed().MatchString(text):
		return &slip{"looks like a pattern, and is looked for with its slashes",
			"write " + strings.Trim(text[:strings.LastIndexByte(text, '/')], "/") + "; for a pattern use type: regex"}
	case starred().MatchString(text):
		bare := strings.Trim(text, "*")
		return &slip{"looks like a wildcard, and is looked for with its stars",
			`write "` + bare + `", which is found anywhere in a text; for the stars themselves use type: regex`}
	case quotedTwice().MatchString(text):
		return &slip{"is looked for with its quotes", "write " + text[1:len(text)-1] + " in one pair of quotes"}
	case dollar().MatchString(text):
		return &slip{"is searched for literally", "a variable is written {{" + text[1:] + "}}"}
	case strings.ContainsFunc(text, isNoBreakSpace):
		return &slip{"holds a blank that does not break, and is not found with a common one",
			"type a common blank; for both write type: regex with [ \\xA0] there"}
	case !forms && strings.ContainsRune(text, '’'):
		return &slip{"is not found where the apostrophe is straight", "for both write type: regex with ['’] there"}
	case bracedName(n) != "":
		return &slip{"is looked for with its braces",
			"a variable is written {" + bracedName(n) + "}; for the braces themselves write \\" + bracedName(n)}
	}
	return nil
}

// warnLookalikes warns of characters in a pattern that look like others but do not match these. Within [brackets] they
// are there on purpose.
func (b *binder) warnLookalikes(n *node.Node, what string) {
	if !strings.ContainsFunc(n.Value, func(r rune) bool { return r == '’' || isNoBreakSpace(r) }) {
		return
	}
	single := class().ReplaceAllString(n.Value, "")
	switch {
	case strings.ContainsFunc(single, isNoBreakSpace):
		b.r.Warnf(n, "looks-like-slip", "%s: %q holds a blank that does not break, and does not match a common one",
			what, n.Value).Hint = "type a common blank, or [ \\xA0] for both"
	case strings.ContainsRune(single, '’'):
		b.r.Warnf(n, "looks-like-slip", "%s: %q does not match where the apostrophe is straight", what, n.Value).Hint =
			"write ['’] for both"
	}
}

// linesIn finds a forbidden text that was meant as several texts, one a line. sure: it can only have been meant so.
func linesIn(n *node.Node) (looks, hint string, sure bool) {
	const (
		list = "for several texts write each behind a dash and a blank of its own; "
		wide = 60 // nobody breaks a text that is shorter
	)
	switch lines := strings.Split(strings.TrimRight(n.Value, "\n"), "\n"); {
	case node.IsJoined(n):
		return "is one text, of lines that are joined", list + "for one text write it on one line",
			utf8.RuneCountInString(n.Value) < wide
	case node.IsBlock(n) && len(lines) > 1:
		return "is one text, and found only with its line ends",
			list + `for the line ends themselves write \n, in double quotes`, !slices.ContainsFunc(lines, isNoPhrase)
	}
	return "", "", false
}

// isNoPhrase reports whether a line is more than a few words.
func isNoPhrase(line string) bool {
	return strings.HasPrefix(line, " ") ||
		strings.ContainsFunc(line, func(r rune) bool { return r != ' ' && isNonWord(r) })
}

// isNoBreakSpace reports whether a character is a blank that keeps a line together. It looks like a common blank.
func isNoBreakSpace(r rune) bool { return r == '\u00A0' || r == '\u202F' || r == '\u2007' }

// bracedName is the first {name} in a text; it was probably meant as a variable. "" is none.
func bracedName(n *node.Node) string {
	if node.IsLiteral(n) || !strings.Contains(n.Value, "{") {
		return ""
	}
	return bracedNames().FindString(n.Value)
}

const curlyQuotes = "“”„‟‘’‚«»"

// inCurlyQuotes reports whether a text begins and ends with quotes that YAML does not know.
func inCurlyQuotes(text string) bool {
	first, n := utf8.DecodeRuneInString(text)
	last, m := utf8.DecodeLastRuneInString(text)
	return len(text) > n+m && strings.ContainsRune(curlyQuotes, first) && strings.ContainsRune(curlyQuotes, last)
}

var (
	// A comment without a blank before it, and no C# code.
	comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\pL\pL# `) })
	// A pattern as other languages write it: /shipped/i.
	slashed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/[^/\s]+/[a-z]?[a-z]?$`) })
	// The [several] characters of a pattern.
	class = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[(?:\\.|[^\]\\])*\]`) })
	// A text with a star at one of its ends or both, and no **bold** one.
	starred = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\*\pL[\pL\d _-]*\*?|\pL[\pL\d _-]*\*)$`)
	})
	quotedTwice = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:'[^']+'|"[^"]+")$`) })
	bracedNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[A-Za-z_][\w.-]*\}`) })
	dollar      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$[a-z_]\w*$`) })
)

// warnNoValue warns of values that are empty, for example because a # made a comment of them. A null that is written
// out is there on purpose.
func (b *binder) warnNoValue(n *node.Node, what string) {
	if node.IsNull(n) && n.Value == "" {
		b.r.Warnf(n, "empty-value", "%s has no value, and stands for null", what).Hint =
			"write the value, in quotes when it begins with #, or null if that is meant"
	}
	for i, v := range n.Content {
		at := what
		if n.Kind == node.Map {
			if i%2 == 0 {
				continue
			}
			at += "." + n.Content[i-1].Value
		}
		b.warnNoValue(v, at)
	}
}
