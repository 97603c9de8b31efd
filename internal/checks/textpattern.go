package checks

import "strings"

// textPattern is a text to look for, with its folded form.
type textPattern struct{ text, folded string }

func textPatterns(texts []string) []textPattern {
	out := make([]textPattern, len(texts))
	for i, t := range texts {
		out[i] = textPattern{t, strings.ToLower(t)}
	}
	return out
}

// in looks for the pattern in a reply.
func (p *textPattern) in(r *Reply, caseSensitive bool) bool {
	if caseSensitive {
		return strings.Contains(r.Text, p.text)
	}
	return strings.Contains(r.Lower(), p.folded)
}
