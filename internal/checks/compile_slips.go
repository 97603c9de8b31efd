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

// A slip in the YAML of a text that must not be found makes another text of it, which never is. One that must be found
// shows by itself.

// slip is what a text was meant as.
type slip struct{ looks, hint string }

// slipIn finds a slip in a text that must not be found; alone says that it stands in the place of a list,
// and forms that the check looks for its other forms by itself; see writtenForms.
func slipIn(n *node.Node, alone, forms bool) *slip {
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
	case curly(text):
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
	case strings.ContainsFunc(text, fixedBlank):
		return &slip{"holds a blank that does not break, and is not found with a common one",
			"type a common blank; for both write type: regex with [ \\xA0] there"}
	case !forms && strings.ContainsRune(text, '’'):
		return &slip{"is not found where the apostrophe is straight", "for both write type: regex with ['’] there"}
	case single(n) != "":
		return &slip{"is looked for with its braces",
			"a variable is written {" + single(n) + "}; for the braces themselves write \\" + single(n)}
	}
	return nil
}

// lookalikes warns of characters in a pattern that look like others and match themselves alone. Among [several] they are
// meant.
func (b *binder) lookalikes(n *node.Node, what string) {
	if !strings.ContainsFunc(n.Value, func(r rune) bool { return r == '’' || fixedBlank(r) }) {
		return
	}
	single := class().ReplaceAllString(n.Value, "")
	switch {
	case strings.ContainsFunc(single, fixedBlank):
		b.r.Warnf(n, "looks-like-slip", "%s: %q holds a blank that does not break, and does not match a common one",
			what, n.Value).Hint = "type a common blank, or [ \\xA0] for both"
	case strings.ContainsRune(single, '’'):
		b.r.Warnf(n, "looks-like-slip", "%s: %q does not match where the apostrophe is straight", what, n.Value).Hint =
			"write ['’] for both"
	}
}

// linesIn finds a text that must not be found and was meant as several, each on a line of its own. sure says that
// nobody writes one text so.
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
			list + `for the line ends themselves write \n, in double quotes`, !slices.ContainsFunc(lines, noPhrase)
	}
	return "", "", false
}

// noPhrase reports whether a line is something else than a few words.
func noPhrase(line string) bool {
	return strings.HasPrefix(line, " ") || strings.ContainsFunc(line, func(r rune) bool { return r != ' ' && noWord(r) })
}

// fixedBlank reports whether a character is a blank at which no line is broken. It looks like another one.
func fixedBlank(r rune) bool { return r == '\u00A0' || r == '\u202F' || r == '\u2007' }

// single is a {name} within a text that was meant as a variable; "" is none.
func single(n *node.Node) string {
	if node.IsLiteral(n) || !strings.Contains(n.Value, "{") {
		return ""
	}
	return singles().FindString(n.Value)
}

const curlyQuotes = "“”„‟‘’‚«»"

// curly reports whether a text begins and ends with quotes that YAML does not know.
func curly(text string) bool {
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
	singles     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[A-Za-z_][\w.-]*\}`) })
	dollar      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$[a-z_]\w*$`) })
)

// unwritten warns of values of which nothing is written, as when a # makes a comment of them. A null that is written is
// meant.
func (b *binder) unwritten(n *node.Node, what string) {
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
		b.unwritten(v, at)
	}
}
