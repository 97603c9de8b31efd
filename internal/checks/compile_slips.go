package checks

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/textsearch"
)

// A slip in YAML changes a text without an error. When the check requires the text, the check fails and the slip shows.
// When the check forbids the text, the slip does not show: the changed text is never found. So arena looks for slips in
// forbidden texts.

// slip says what a text looks like, and how to write what was probably intended.
type slip struct{ looks, hint string }

// findSlip finds a slip in a forbidden text; nil: none. alone: the parameter also takes a list. forms: the check itself
// looks for other forms of the text; see writtenForms.
func findSlip(n *node.Node, alone, forms bool) *slip {
	if s := yamlSlip(n, alone); s != nil {
		return s
	}
	if s := notationSlip(n.Value); s != nil {
		return s
	}
	if s := characterSlip(n, forms); s != nil {
		return s
	}
	return listSlip(n)
}

// yamlSlip finds YAML syntax that became a part of the text, and spaces around it.
func yamlSlip(n *node.Node, alone bool) *slip {
	text, plain := n.Value, node.IsPlain(n)
	bare := strings.TrimSpace(text)
	first, size := utf8.DecodeRuneInString(text)
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	switch {
	case plain && node.IsAnyBool(n):
		return &slip{"is true or false to other readers of YAML, and text here", `quote it: "` + text + `"`}
	case bare != text && bare != "" && !node.IsBlock(n):
		return &slip{"is searched for with the spaces around it", `write "` + bare + `"`}
	case alone && len(inner) == len(text)-2 && strings.TrimSpace(inner) != "":
		return &slip{"looks like a list, but is searched for with its brackets", "write it without quotes: [" + inner + "]"}
	case inCurlyQuotes(text):
		return &slip{"is searched for with its curly quotes",
			`write them straight: "` + strings.Trim(text, curlyQuotes) + `"`}
	case plain && first == '-' && len(text) > size && unicode.IsLetter([]rune(text)[1]):
		return &slip{"looks like an entry of a list, but is searched for with its dash",
			"write a space after the dash, or quotes around the text"}
	case plain && comment().MatchString(text):
		at := strings.Index(text, "# ")
		return &slip{"is searched for with the text after the #",
			"for a comment write a space before it: " + text[:at] + " " + text[at:]}
	}
	return nil
}

// notationSlip finds the notations of patterns, wildcards and variables, and doubled quotes.
func notationSlip(text string) *slip {
	switch {
	case slashed().MatchString(text):
		return &slip{"looks like a pattern, but is searched for with its slashes",
			"write " + strings.Trim(text[:strings.LastIndexByte(text, '/')], "/") + "; for a pattern use type: regex"}
	case starred().MatchString(text):
		word, signs := strings.Trim(text, "*%"), "stars"
		if strings.HasPrefix(text, "%") {
			signs = "percent signs"
		}
		return &slip{"looks like a wildcard, but is searched for with its " + signs,
			`write "` + word + `", which is found anywhere in a text; for the ` + signs + ` themselves use type: regex`}
	case quotedTwice().MatchString(text):
		return &slip{"is searched for with its quotes", "write " + text[1:len(text)-1] + " in one pair of quotes"}
	case negated().MatchString(text):
		return &slip{"is searched for with its !, and is no negation", `write "` + text[1:] + `" for the text without it`}
	case dollar().MatchString(text):
		return &slip{"is searched for literally", "a variable is written {{" + text[1:] + "}}"}
	}
	return nil
}

// characterSlip finds characters that usually differ in replies: escaped or encoded ones, and lookalikes.
func characterSlip(n *node.Node, forms bool) *slip {
	text := n.Value
	switch {
	case !forms && strings.ContainsFunc(text, isNoBreakSpace):
		return &slip{"has a non-breaking space, which does not match a normal one",
			"type a normal space; for both write type: regex with [ \\xA0] there"}
	case !forms && strings.ContainsRune(text, '’'):
		return &slip{"is not found where the apostrophe is straight", "for both write type: regex with ['’] there"}
	case strings.Contains(text, `\`) && !node.IsDoubleQuoted(n) && unread().MatchString(text) &&
		!strings.Contains(text, `:\`):
		found := unread().FindString(text)
		return &slip{"is searched for with " + found + " as it stands: escapes are read in double quotes alone",
			`write "` + text + `" in double quotes`}
	case escaped().MatchString(text) && !strings.Contains(text, `:\`):
		found := strings.TrimFunc(escaped().FindString(text), func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r)
		})
		return &slip{"is searched for with " + found + " as it stands: it is no pattern",
			"leave the backslash out; for a pattern use type: regex"}
	case strings.ContainsAny(text, "%&") && encoded().MatchString(text):
		found := encoded().FindStringSubmatch(text)
		return &slip{"is searched for with " + cmp.Or(found[1], found[0]) + " as it stands",
			"write the character itself; for what is written here use type: regex"}
	}
	if o := node.Foreign(text); o != (node.Oddity{}) {
		return &slip{"is searched for with " + o.Text, o.Hint}
	}
	return nil
}

// listSlip finds separators of list entries, operators between texts, and the braces of variables.
func listSlip(n *node.Node) *slip {
	text := n.Value
	switch {
	case listEnd().MatchString(text) && (node.IsPlain(n) || wordAndEnd().MatchString(text)),
		wordAndStop().MatchString(text):
		return &slip{"is searched for with the " + text[len(text)-1:] + " at its end",
			`write "` + text[:len(text)-1] + `", which is found with it, too; for the sign itself use type: regex`}
	case dashed().MatchString(text):
		return &slip{"looks like an entry of a list, but is searched for with its dash", `write "` + text[2:] + `"`}
	case node.OperatorIn(text) != "":
		return &slip{"is searched for literally, with the " + node.OperatorIn(text),
			"write each text as an entry of its own"}
	case bracedName(n) != "":
		return &slip{"is searched for with its braces",
			"a variable is written {" + bracedName(n) + "}; for the braces themselves write \\" + bracedName(n)}
	}
	return nil
}

// givenPattern is a pattern in the parameters of a check; any is the effect of a pattern that matches every text.
type givenPattern struct {
	at        *node.Node
	what, any string
}

// warnBannedPatterns warns of slips in forbidden patterns; check is nil if it could not be made.
func (b *binder) warnBannedPatterns(check Check) {
	for _, p := range b.patterns {
		bans := b.turned
		if match, ok := check.(decidedByPattern); ok && p.any == anyDecides && match.scoreOfMatch() == 0 {
			bans = !bans
		}
		if bans && node.IsPlain(p.at) && node.IsAnyBool(p.at) {
			b.r.Warnf(p.at, "looks-like-slip", "%s: %s is true or false to other readers of YAML, and text here", p.what,
				p.at.Value).Hint = `quote it: "` + p.at.Value + `"`
		}
		if o := node.DoubtBan(p.at.Value); bans && o != (node.Oddity{}) {
			b.r.Warnf(p.at, "looks-like-slip", "%s: %q %s", p.what, p.at.Value, o.Text).Hint = o.Hint
		}
		if _, whole := check.(*regex); whole && bans && node.IsWholeText(p.at.Value) {
			b.r.Warnf(p.at, "looks-like-slip", "%s: %q matches no reply that says anything else besides", p.what, p.at.Value).
				Hint = "take ^ and $ out to find it anywhere; for a reply that is this alone use equals, with max_score: 0"
		}
	}
}

// warnLookalikes warns of characters in a pattern that look like others but do not match them. Within [brackets] they
// are taken as intended.
func (b *binder) warnLookalikes(n *node.Node, what string) {
	if isASCII(n.Value) {
		return
	}
	single := class().ReplaceAllString(n.Value, "")
	char, like := textsearch.Lookalike(single)
	switch {
	case char != 0:
		b.r.Warnf(n, "looks-like-slip", "%s: %s", what, unlike(n.Value, char, like)).Hint =
			"type " + like + "; for both write [" + like + string(char) + "]"
	case strings.ContainsFunc(single, isNoBreakSpace):
		b.r.Warnf(n, "looks-like-slip", "%s: %q has a non-breaking space, which does not match a normal one",
			what, n.Value).Hint = "type a normal space, or [ \\xA0] for both"
	case strings.ContainsRune(single, '’'):
		b.r.Warnf(n, "looks-like-slip", "%s: %q does not match where the apostrophe is straight", what, n.Value).Hint =
			"write ['’] for both"
	case strings.ContainsAny(single, otherHyphens):
		b.r.Warnf(n, "looks-like-slip", "%s: %+q has a hyphen that does not match -", what, n.Value).Hint =
			"type -; for both write [-" + otherHyphens + "]"
	}
}

// warnFilledPattern warns of variable values with special characters of patterns: the pattern then does not match the
// value itself. It returns whether it warned.
func (b *binder) warnFilledPattern(n *node.Node, what string) (told bool) {
	for _, in := range b.own.filled[n] {
		literal := regexp.QuoteMeta(in.Value)
		if literal == in.Value || meantAsPattern().MatchString(in.Value) {
			continue
		}
		re, err := b.c.regexp("^(?:" + in.Value + ")$")
		if err != nil || re.MatchString(in.Value) {
			continue
		}
		told = true
		b.r.Warnf(n, "looks-like-slip", "%s: the value of %s, %q, is a part of the pattern and does not match itself",
			what, in.Place, in.Value).Hint = "give the variable the value " + literal + ", or use a check that looks for texts"
	}
	return told
}

// warnBlankPlaces warns of texts in which a placeholder became empty, so that they require something else than they
// seem to.
func (k *compilation) warnBlankPlaces() {
	for n, list := range k.own.filled {
		var blank []string
		for _, in := range list {
			if in.Value == "" {
				blank = append(blank, in.Place)
			}
		}
		if len(blank) > 0 {
			k.r.Warnf(n, "empty-value", "%s: nothing stands for %s, so that the text is %q", k.spec.Type,
				strings.Join(blank, " and "), n.Value).Hint = "give it a value"
		}
	}
}

// unlike says that a character in a text looks like another one.
func unlike(text string, char rune, like string) string {
	return fmt.Sprintf("%+q has U+%04X, which looks like %q and does not match it", text, char, like)
}

// warnBannedValues warns of slips in the texts of a forbidden value, which is compared as a whole.
func (b *binder) warnBannedValues(n *node.Node, what string) {
	switch {
	case n == nil:
		return
	case n.Kind == node.Map:
		for i := 1; i < len(n.Content); i += 2 {
			b.warnBannedValues(n.Content[i], what+"."+n.Content[i-1].Value)
		}
		return
	case n.Kind != node.Scalar:
		if words := node.LoneEntry(n); words != nil {
			b.r.Warnf(n.Content[0], "looks-like-slip", "%s: %q is one value", what, n.Content[0].Value).Hint =
				"write commas between several: [" + strings.Join(words, ", ") + "]; put one in quotes"
			return
		}
		for _, item := range n.Content {
			b.warnBannedValues(item, what)
		}
		return
	case b.warnFilledText(n, what, true):
		return
	case n.ShortTag() != "!!str":
		b.warnBannedNumber(n, what)
		return
	}
	char, like := textsearch.Lookalike(n.Value)
	plain := textsearch.Plain(n.Value)
	odd := node.DoubtValue(n)
	switch s := findSlip(n, false, false); {
	case odd != (node.Oddity{}):
		b.r.Warnf(n, "looks-like-slip", "%s: %q %s", what, n.Value, odd.Text).Hint = odd.Hint
	case strings.Contains(n.Value, "*") && wildcard().MatchString(n.Value) || patternIn(n.Value) != "":
		b.r.Warnf(n, "looks-like-pattern", "%s: %q looks like a pattern, but is compared as it stands", what, n.Value).Hint =
			"write the whole value; a regular expression is no value here"
	case char != 0:
		b.r.Warnf(n, "looks-like-slip", "%s: %s", what, unlike(n.Value, char, like)).Hint = "type " + like
	case plain != textsearch.Composed(n.Value):
		b.r.Warnf(n, "looks-like-slip", "%s: %+q has characters that read as %q and do not equal that", what, n.Value,
			plain).Hint = "type it again"
	case s != nil:
		b.r.Warnf(n, "looks-like-slip", "%s: %q %s", what, n.Value,
			strings.ReplaceAll(s.looks, "searched for", "compared")).Hint = s.hint
	}
}

// warnBannedNumber warns of a forbidden value that is not in the usual form of a number, because as text it would
// differ. A leading zero or plus is rarely intended in a number, and is an error.
func (b *binder) warnBannedNumber(n *node.Node, what string) {
	if tag := n.ShortTag(); tag != "!!int" && tag != "!!float" {
		return
	}
	read := jsonvalue.Text(b.r.Any(n))
	if read == n.Value {
		return
	}
	d := b.r.Warnf(n, "looks-like-slip", "%s: %s is the number %s here, which does not equal the text %q", what, n.Value,
		read, n.Value)
	d.Hint = `write "` + n.Value + `" if the text is meant, or ` + read + " for the number"
	if oddNumber().MatchString(n.Value) {
		d.Severity = diag.Error
	}
}

// warnTurnedValues warns of slips in the values of parameters if these are forbidden.
func (b *binder) warnTurnedValues(params ...string) {
	for _, param := range params {
		if b.turned {
			b.warnBannedValues(b.read[param], b.name+": "+param)
		}
	}
}

// linesIn finds several texts, one on each line, in a forbidden text. sure: no other meaning is possible.
func linesIn(n *node.Node) (looks, hint string, sure bool) {
	const (
		list = "for several texts write each after a dash and a space of its own; "
		wide = 60 // shorter texts need no line breaks
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

// isNoPhrase reports whether a line is too long for a phrase.
func isNoPhrase(line string) bool {
	return strings.HasPrefix(line, " ") ||
		strings.ContainsFunc(line, func(r rune) bool { return r != ' ' && isNonWord(r) })
}

// isNoBreakSpace reports whether a character is a no-break space. It looks like a common space.
func isNoBreakSpace(r rune) bool { return r == '\u00A0' || r == '\u202F' || r == '\u2007' }

// bracedName returns the first {name} in a text, which was probably intended as a variable; "": none.
func bracedName(n *node.Node) string {
	if node.IsLiteral(n) || !strings.Contains(n.Value, "{") {
		return ""
	}
	return bracedNames().FindString(n.Value)
}

// otherHyphens are characters that look like - and come from other programs.
const otherHyphens = "\u2010\u2011\u2012\u2013\u2212"

const curlyQuotes = "“”„‟‘’‚«»"

// inCurlyQuotes reports whether a text is in curly quotes, which are not quotes in YAML.
func inCurlyQuotes(text string) bool {
	first, n := utf8.DecodeRuneInString(text)
	last, m := utf8.DecodeLastRuneInString(text)
	return len(text) > n+m && strings.ContainsRune(curlyQuotes, first) && strings.ContainsRune(curlyQuotes, last)
}

var (
	// A comment without a space before it, but not C# code.
	comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\pL\pL# `) })
	// A pattern in the notation of other languages: /shipped/i.
	slashed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/[^/\s]+/[a-z]?[a-z]?$`) })
	// A character class of a pattern.
	class = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[(?:\\.|[^\]\\])*\]`) })
	// A text with a star at one or both ends, but not **bold** text. The same for the % of SQL.
	starred = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\*\pL[\pL\d _-]*\*?|\pL[\pL\d _-]*\*|%\pL[\pL\d _-]*%)$`)
	})
	// An escape of YAML, which works only in double quotes, but not C:\new.
	unread = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\\(?:[nrt](?:[^a-z]|$)|[nt]\pL+$|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})`)
	})
	// A sign with a backslash, as in patterns, beside a word.
	escaped = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\[$.?*+|^][\pL\d]|[\pL\d]\\[$.?*+|^]`) })
	// A character encoded as in URLs and HTML, within other words, or by its number.
	encoded = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\pL *(%20|&(?:amp|lt|gt|quot|nbsp|apos);) *\pL|&#(?:\d{1,7}|[xX][0-9a-fA-F]{1,6});`)
	})
	// The ! of filters, before a word.
	negated = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^!\pL[\pL\d _-]*$`) })
	// A comma or semicolon at the end, as between list entries in other languages.
	listEnd    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\pL\d"')][,;]$`) })
	wordAndEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{Ll}\d_-]+[,;]$`) })
	// A full stop after a single word, but not "etc.".
	wordAndStop = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\p{Ll}{4,}\.$`) })
	dashed      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^- \pL`) })
	wildcard    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[^*\s]*\w[-_/.:@]?\.?\*$|^\.?\*\w[^*\s]*$`)
	})
	// A number that begins with a zero or a plus, as telephone numbers and codes do.
	oddNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\+|^-?0[0-9]`) })
	// Signs that are intended in values of variables.
	meantAsPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\\|\[]|\.[*+]|^\^|\$$|\(\?`) })
	quotedTwice    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:'[^']+'|"[^"]+")$`) })
	bracedNames    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{ *[A-Za-z_][\w.-]* *\}`) })
	// $name and $API_KEY, but not $AAPL, a share.
	dollar = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\$(?:[a-z_]\w*|[A-Z][A-Z0-9]*_\w*|[A-Z]{6,})$`)
	})
)

// warnNoValue warns of values that are empty, for example because a # made them comments. An explicit null is taken as
// intended.
func (b *binder) warnNoValue(n *node.Node, what string) {
	if node.IsNull(n) && n.Value == "" {
		b.r.Warnf(n, "empty-value", "%s has no value, which means null", what).Hint =
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
