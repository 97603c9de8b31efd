package checks

import (
	"strings"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
)

// insteadOfBannedMedia is the hint for a not over media, which passes as soon as one medium differs.
const insteadOfBannedMedia = "ask for what all that come must be, without turning it round"

// mediaVerdict collects the violations of media of one kind.
type mediaVerdict struct {
	kind    string
	values  []any    // of each medium, for details; nil: not known
	shown   []string // the values in words
	invalid []any    // values with violations
	broken  []string // the violations
}

// judge adds a medium with its value and its violations, and violations by false declarations.
func (v *mediaVerdict) judge(m *medium, value any, shown string, problems []string) {
	v.values, v.shown = append(v.values, value), append(v.shown, shown)
	problems = append(problems, m.violations...)
	if len(problems) > 0 {
		v.invalid = append(v.invalid, value)
		v.broken = append(v.broken, m.name+" "+strings.Join(problems, " and "))
	}
}

// finding is 1 if there are media and no violations. A verdict that passes at 0 needs media. values is the key of the
// values in details.
func (v *mediaVerdict) finding(values string) Finding {
	f := Finding{Details: Details{values: atLeastEmpty(v.values), "violations": atLeastEmpty(v.broken)}}
	switch {
	case len(v.values) == 0:
		f.Explanation = "no " + mediaNouns[v.kind] + " in the reply or in tool results"
		f.silent = true // without media the score proves nothing
	case len(v.broken) > 0:
		f.Explanation = say.Listed(v.broken, "; ")
	default:
		f.Score, f.Explanation = 1, plural.Count(len(v.values), mediaNouns[v.kind])+": "+say.Listed(v.shown, ", ")
	}
	return f
}

// eachMedium judges every medium of a kind in scope. values is the key of the values in details.
func (s *Subject) eachMedium(kind, values string, judge func(v *mediaVerdict, m *medium)) (Finding, error) {
	list, err := s.media(kind)
	if err != nil {
		return Finding{}, err
	}
	v := mediaVerdict{kind: kind}
	for i := range list {
		judge(&v, &list[i])
	}
	return v.finding(values), nil
}
