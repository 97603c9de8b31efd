package checks

import (
	"context"
	"fmt"

	"github.com/arena-evals/arena/internal/say"
)

var containsAnyDef = define[containsAnyParams](Def{
	Name:     "contains_any",
	Aliases:  []string{"content_includes_any"},
	Summary:  "At least one reply contains at least one of the patterns.",
	Scoring:  "1 when any pattern is found in any reply in scope, else 0.",
	Family:   FamilyContent,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
	Reads:    ReadsReplies,
})

type containsAnyParams struct {
	Patterns      []string `param:"patterns,required" is:"text" doc:"Texts of which one is enough."`
	CaseSensitive bool     `param:"case_sensitive" default:"false" doc:"Tell upper and lower case apart."`
}

func (p containsAnyParams) Build(b *binder) Check {
	return &containsAny{patterns: textPatterns(p.Patterns, b.turned), caseSensitive: p.CaseSensitive}
}

type containsAny struct {
	patterns      []textPattern
	caseSensitive bool
}

func (*containsAny) boundsRedacted() {}

func (c *containsAny) Eval(_ context.Context, s *Subject) (Finding, error) {
	replies := s.Texts()
	for r := range replies {
		for i := range c.patterns {
			if p := &c.patterns[i]; p.in(&replies[r], c.caseSensitive) {
				return Finding{
					Score:       1,
					Explanation: "found " + say.Quote(p.text) + inTurn(s, replies[r].Turn),
					Details:     Details{"matched": p.text, "turn": replies[r].Turn},
				}, nil
			}
		}
	}
	texts := make([]string, len(c.patterns))
	for i := range c.patterns {
		texts[i] = c.patterns[i].text
	}
	return Finding{
		Explanation: "none of the patterns found: " + say.Quoted(texts),
		Details:     Details{"missing_patterns": texts},
	}, nil
}

// inTurn adds the number of the turn, from 1, to an explanation. Within one turn it adds nothing.
func inTurn(s *Subject, turn int) string {
	if !s.Session {
		return ""
	}
	return fmt.Sprintf(" in turn %d", turn+1)
}
