package checks

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// Texts are searched for literally. A text that looks like a pattern or a list is never found, so a check that forbids
// it never fails. Such a text may be intended, so there is a warning and no error.

// patternSigns match signs of regular expressions that are rare in texts.
var patternSigns = sync.OnceValue(func() []*regexp.Regexp {
	var list []*regexp.Regexp
	for _, sign := range []string{
		`^\(\?[a-zA-Z]+[:)]`, // (?i)refund
		`^\\[bB]`, `\\[bB]$`, // \bshipped\b, but not C:\bin; see latexCommand
		`\\[dDwWsS](?:[^\w:]|$)`, // \d+, but not C:\data
		`\w\\\.\w`,               // 49\.99
		`\w\.[*+]\??\$?$`,        // refund.*
		`^\^?\.[*+]\??\w`,        // .*refund
		`\w\.[*+]\??\w`,          // refund.*order
		`^\pL+\*$`, `^\*\pL+$`,   // ship*, but not **bold**
		`^\^\pL`, `\p{Ll}\$$`, // ^Refund, refund$
		`^\^[\w ]+\$$`,                        // ^4111$
		`^\.[*+]\??$`,                         // .*
		`\[[^\]\s]+\][*+?{]`,                  // [a-z]+
		`^\(?\w[\w .-]*(?:\|\w[\w .-]*)+\)?$`, // refund|money back, but not a row of a table
	} {
		list = append(list, regexp.MustCompile(sign))
	}
	return list
})

// latexCommand matches LaTeX commands that begin with \b, which is a word boundary in patterns.
var latexCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\\b(?:egin|eta|ar|ig|inom|oldsymbol|ullet|mod|f)(?:[^a-z\\]|$)`)
})

// patternIn returns the part of a text that looks like a pattern; "" is none.
func patternIn(text string) string {
	if !strings.ContainsAny(text, `\*+^|($`) || latexCommand().MatchString(text) { // almost all texts return here
		return ""
	}
	for _, sign := range patternSigns() {
		if found := sign.FindString(text); found != "" {
			return found
		}
	}
	return ""
}

// listIn returns the entries of a text that looks like a list; nil for other texts, such as "Hello, world".
func listIn(text string) []string {
	parts := strings.Split(text, ",")
	if len(parts) < 2 {
		return nil
	}
	for i, part := range parts {
		part = strings.TrimSpace(part)
		first := []rune(part + " ")[0]
		if part == "" || strings.ContainsFunc(part, isNonWord) || len(parts) == 2 && !unicode.IsLower(first) {
			return nil
		}
		parts[i] = part
	}
	return parts
}

func isNonWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '-' && r != '_' && r != '\''
}

// warnOtherMeaning warns of a text that looks like a pattern or a list. alone: the parameter also takes a list.
func (b *binder) warnOtherMeaning(f *field, is Kind, n *node.Node, what string, alone bool) {
	if n.Value != "" && strings.TrimSpace(n.Value) == "" {
		b.warnBlank(n, what)
		return
	}
	bans := (is == BannedText) != b.turned
	if b.warnFilledText(n, what, bans) {
		return
	}
	if bans {
		if looks, hint, sure := linesIn(n); looks != "" {
			d := b.r.Warnf(n, "looks-like-slip", "%s: %q %s", what, n.Value, looks)
			if d.Hint = hint; sure {
				d.Severity = diag.Error
			}
			return
		}
		if s := findSlip(n, alone && strings.HasPrefix(f.Shape.Label(), "list"), is == BannedText && b.def.Forms); s != nil {
			b.r.Warnf(n, "looks-like-slip", "%s: %q %s", what, n.Value, s.looks).Hint = s.hint
			return
		}
	}
	if sign := patternIn(n.Value); sign != "" {
		b.r.Warnf(n, "looks-like-pattern", "%s: %q looks like a pattern (%s), but is searched for literally", what, n.Value,
			sign).Hint = b.patternHint(f, bans)
		return
	}
	list := listIn(n.Value)
	if list == nil {
		list = node.Several(n.Value)
	}
	if list == nil && bans {
		list = joinedWords(n.Value)
	}
	if bans && list != nil {
		b.r.Warnf(n, "looks-like-list", "%s: %q is searched for literally, with what separates its parts", what,
			n.Value).Hint =
			"for a list write [" + strings.Join(list, ", ") + "]"
	}
}

// warnBlank warns of a text or a pattern of white space only, which almost every reply contains.
func (b *binder) warnBlank(n *node.Node, what string) {
	b.r.Warnf(n, "looks-like-slip", "%s: %q is blank", what, n.Value).Hint =
		"write what is meant; for white space use type: regex with \\s"
}

// patternHint says which check or parameter takes patterns.
func (b *binder) patternHint(f *field, bans bool) string {
	switch {
	case f.Name == "result_includes":
		return "result_matches takes patterns"
	case b.def != nil && b.def.Name == "tool_result_includes":
		return "tool_result_matches takes patterns"
	case bans && !b.turned:
		return "for a pattern that must not match write type: regex with expect_match: false; for parts of words leave * out"
	default:
		return "the check regex takes patterns; for parts of words leave * out"
	}
}
