package checks

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// A text that is searched for literally, and is written like a pattern or a list, is found nowhere: a ban of it never
// fails. Nothing is surely wrong with it, so that it is only told of.

// patternSigns are what people write in regular expressions and in hardly any text.
var patternSigns = sync.OnceValue(func() []*regexp.Regexp {
	var list []*regexp.Regexp
	for _, sign := range []string{
		`^\(\?[a-zA-Z]+[:)]`, // (?i)refund
		`^\\[bB]`, `\\[bB]$`, // \bshipped\b, and no C:\bin; see typeset
		`\\[dDwWsS](?:[^\w:]|$)`, // \d+, and no C:\data
		`\w\\\.\w`,               // 49\.99
		`\w\.[*+]\??\$?$`,        // refund.*
		`^\^?\.[*+]\??\w`,        // .*refund
		`\w\.[*+]\??\w`,          // refund.*order
		`^\pL+\*$`, `^\*\pL+$`,   // ship*, and no **bold**
		`^\^\pL`,                          // ^Refund
		`\[[^\]\s]+\][*+?{]`,              // [a-z]+
		`^\(?\w[\w ]*(?:\|\w[\w ]*)+\)?$`, // refund|money back, and no row of a table
	} {
		list = append(list, regexp.MustCompile(sign))
	}
	return list
})

// typeset matches what LaTeX writes like the edge of a word.
var typeset = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\\b(?:egin|eta|ar|ig|inom|oldsymbol|ullet|mod|f)(?:[^a-z\\]|$)`)
})

// patternIn returns what of a text makes it look like a pattern; "" is nothing.
func patternIn(text string) string {
	if !strings.ContainsAny(text, `\*+^|(`) || typeset().MatchString(text) { // few go on
		return ""
	}
	for _, sign := range patternSigns() {
		if found := sign.FindString(text); found != "" {
			return found
		}
	}
	return ""
}

// listIn returns the words of which a text looks like a list; nil when it does not. "Hello, world" is a text.
func listIn(text string) []string {
	parts := strings.Split(text, ",")
	if len(parts) < 2 {
		return nil
	}
	for i, part := range parts {
		part = strings.TrimSpace(part)
		first := []rune(part + " ")[0]
		if part == "" || strings.ContainsFunc(part, noWord) || len(parts) == 2 && !unicode.IsLower(first) {
			return nil
		}
		parts[i] = part
	}
	return parts
}

func noWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '-' && r != '_' && r != '\''
}

// looksLike warns of a text to look for that looks like something else; alone says that it stands in the place of a
// list.
func (b *binder) looksLike(f *field, is Kind, n *node.Node, what string, alone bool) {
	bans := (is == BannedText) != b.negated
	if bans {
		if looks, hint, sure := linesIn(n); looks != "" {
			d := b.r.Warnf(n, "looks-like-slip", "%s: %q %s", what, n.Value, looks)
			if d.Hint = hint; sure {
				d.Severity = diag.Error
			}
			return
		}
		if s := slipIn(n, alone && strings.HasPrefix(f.Shape.Label(), "list"), is == BannedText && b.def.Forms); s != nil {
			b.r.Warnf(n, "looks-like-slip", "%s: %q %s", what, n.Value, s.looks).Hint = s.hint
			return
		}
	}
	if sign := patternIn(n.Value); sign != "" {
		b.r.Warnf(n, "looks-like-pattern", "%s: %q looks like a pattern (%s), and is searched for literally", what, n.Value,
			sign).Hint = b.patternHint(f, bans)
		return
	}
	if list := listIn(n.Value); bans && list != nil {
		b.r.Warnf(n, "looks-like-list", "%s: %q is searched for literally, with its commas", what, n.Value).Hint =
			"for a list write [" + strings.Join(list, ", ") + "]"
	}
}

// patternHint says which check or parameter takes patterns.
func (b *binder) patternHint(f *field, bans bool) string {
	switch {
	case f.Name == "result_includes":
		return "result_matches takes patterns"
	case b.def != nil && b.def.Name == "tool_result_includes":
		return "tool_result_matches takes patterns"
	case bans && !b.negated:
		return "for a pattern that must not match write type: regex with expect_match: false; for parts of words leave * out"
	default:
		return "the check regex takes patterns; for parts of words leave * out"
	}
}
