package checks

import (
	"context"
	"fmt"
)

var containsDef = define[containsParams](Def{
	Name:     "contains",
	Aliases:  []string{"content_includes"},
	Summary:  "The reply contains every pattern; the score is the share that it contains.",
	Scoring:  "Patterns found / patterns given.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
})

type containsParams struct {
	Patterns      []string `param:"patterns,required" doc:"Texts that the reply must contain, as they are."`
	CaseSensitive bool     `param:"case_sensitive" default:"false" doc:"Tell upper and lower case apart."`
}

func (p containsParams) Build(*binder) Check {
	return &contains{patterns: textPatterns(p.Patterns), caseSensitive: p.CaseSensitive}
}

type contains struct {
	patterns      []textPattern
	caseSensitive bool
}

func (c *contains) Eval(_ context.Context, s *Subject) (Finding, error) {
	reply := s.last()
	missing := []string{}
	for i := range c.patterns {
		if p := &c.patterns[i]; !p.in(reply, c.caseSensitive) {
			missing = append(missing, p.text)
		}
	}
	total := len(c.patterns)
	found := total - len(missing)
	explanation := fmt.Sprintf("%d of %s found", found, count(total, "pattern"))
	if len(missing) > 0 {
		explanation += ": missing " + quoted(missing)
	}
	return Finding{
		Score:       float64(found) / float64(total),
		Explanation: explanation,
		Details:     map[string]any{"found": found, "total": total, "missing_patterns": missing},
	}, nil
}
