package checks

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

// textPattern is a text to find, with its folded form.
type textPattern struct{ text, folded string }

func textPatterns(texts []string) []textPattern {
	out := make([]textPattern, len(texts))
	for i, t := range texts {
		out[i] = textPattern{t, strings.ToLower(t)}
	}
	return out
}

// in reports whether the pattern is in a reply.
func (p *textPattern) in(r *Reply, caseSensitive bool) bool {
	if caseSensitive {
		return r.veil.has(r.Text, strings.Contains(r.Text, p.text))
	}
	return r.veil.has(r.Text, strings.Contains(r.Lower(), p.folded))
}

// shareFound scores a reply by the share of the patterns that it contains. noun names the patterns in explanations;
// missing is the key in details for those that were not found.
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
