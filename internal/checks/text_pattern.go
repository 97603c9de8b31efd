package checks

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
	"github.com/arena-evals/arena/internal/textsearch"
)

// textPattern is a text to find, with its folded form. If it does not occur literally, another spelling is tried.
type textPattern struct {
	text, folded string
	respelt      *respelling // nil: there is no other spelling
	unmarked     bool        // it is also looked for without Markdown marks
}

// respelling is a text in another spelling, with its folded form. If empty, it is the text itself.
type respelling struct {
	as           spelling
	text, folded string
}

// Values that most texts share.
var (
	plainAlready    = &respelling{as: asPlain}
	composedAlready = &respelling{as: asComposed}
)

// spelling says which characters count as equal when a text does not occur literally.
type spelling uint8

const (
	// asComposed treats composed and decomposed accents as equal; for required texts.
	asComposed spelling = iota
	asPlain             // everything that looks the same is equal; for forbidden texts
	asUnmarked          // asPlain, also without Markdown marks

	spellings
)

// of returns a text in a spelling.
func (s spelling) of(text string) string {
	switch s {
	case asPlain:
		return textsearch.PlainLine(text)
	case asUnmarked:
		return textsearch.PlainLine(textsearch.Unmarked(text))
	default:
		return textsearch.Composed(text)
	}
}

// textPatterns prepares required or banned texts.
func textPatterns(texts []string, banned bool) []textPattern {
	out := make([]textPattern, len(texts))
	for i, text := range texts {
		out[i] = newTextPattern(text, banned)
	}
	return out
}

func newTextPattern(text string, banned bool) textPattern {
	p := textPattern{text: text, folded: strings.ToLower(text)}
	switch {
	case banned && !strings.ContainsAny(text, "\n\r"): // otherwise the line end itself is searched for
		p.respelt, p.unmarked = plainAlready, textsearch.Unmarked(text) == text
	case !banned && !isASCII(text):
		p.respelt = composedAlready
	default:
		return p
	}
	switch other := p.respelt.as.of(text); {
	case strings.TrimSpace(other) == "":
		p.respelt, p.unmarked = nil, false
	case other != text:
		p.respelt = &respelling{p.respelt.as, other, strings.ToLower(other)}
	}
	return p
}

// alike is the pattern in its other spelling; "": none.
func (p *textPattern) alike(caseSensitive bool) string {
	text, folded := p.text, p.folded
	switch r := p.respelt; {
	case r == nil:
		return ""
	case r.text != "":
		text, folded = r.text, r.folded
	}
	if caseSensitive {
		return text
	}
	return folded
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > '\u007F' }) < 0
}

// in reports whether the pattern is in a reply.
func (p *textPattern) in(r *Reply, caseSensitive bool) bool {
	return p.fits(r, caseSensitive, strings.Contains)
}

// fits reports whether has returns true for a reply and the pattern, in the same spelling and case.
func (p *textPattern) fits(r *Reply, caseSensitive bool, has func(text, pattern string) bool) bool {
	text, pattern := r.Text, p.text
	if !caseSensitive {
		text, pattern = r.Lower(), p.folded
	}
	found := has(text, pattern)
	if !found && p.respelt != nil {
		if other := r.spelt(p.respelt.as, !caseSensitive); other != text || p.respelt.text != "" {
			found = has(other, p.alike(caseSensitive))
		}
	}
	if !found && p.unmarked {
		found = has(r.spelt(asUnmarked, !caseSensitive), p.alike(caseSensitive))
	}
	return r.masking.has(r.Text, found)
}

// shareFound scores a reply by the share of the patterns that it contains. noun names the patterns in explanations;
// missing is the key in details for the patterns that were not found.
func shareFound(patterns []textPattern, reply *Reply, caseSensitive bool, noun, missing string) Finding {
	lacking := []string{}
	for i := range patterns {
		if p := &patterns[i]; !p.in(reply, caseSensitive) {
			lacking = append(lacking, p.text)
		}
	}
	total := len(patterns)
	found := total - len(lacking)
	f := Finding{
		Score:       textmeasure.Share(found, total),
		Explanation: fmt.Sprintf("%d of %s found", found, plural.Count(total, noun)),
		Details:     Details{"found": found, "total": total, missing: lacking},
	}
	if len(lacking) > 0 {
		f.Explanation += ": missing " + say.Quoted(lacking)
	}
	return f
}
