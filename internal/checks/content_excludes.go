package checks

import (
	"context"
	"sync"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
)

var contentExcludesDef = define[contentExcludesParams](Def{
	Name:     "content_excludes",
	Aliases:  []string{"banned_words", "content_not_includes"},
	Summary:  "No reply contains any of the patterns.",
	Scoring:  "1 when no pattern is found in any reply in scope, else 0.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	Bans:     true,
	OnFire:   Replaces,
	Presets:  map[string]map[string]string{"banned_words": {"match_mode": matchWords}},
})

// The ways to look for a forbidden text.
const (
	matchSubstring = "substring"
	matchWords     = "word_boundary"
)

type contentExcludesParams struct {
	Patterns []string `param:"patterns,required" alias:"words" is:"banned text" doc:"Texts that must not appear."`

	MatchMode string `param:"match_mode" words:"substring,word_boundary" doc:"word_boundary is how banned_words matches."`

	CaseSensitive bool `param:"case_sensitive" default:"false" doc:"Tell upper and lower case apart."`
}

func (p contentExcludesParams) Build(*binder) Check {
	return &contentExcludes{
		patterns: textPatterns(p.Patterns), wholeWords: p.MatchMode == matchWords, caseSensitive: p.CaseSensitive,
	}
}

type contentExcludes struct {
	patterns      []textPattern
	wholeWords    bool
	caseSensitive bool

	once      sync.Once // of automaton, which only streams need
	automaton *automaton
}

func (c *contentExcludes) Eval(_ context.Context, s *Subject) (Finding, error) {
	replies := s.Texts()
	violations, found := []map[string]any{}, []string{}
	for r := range replies {
		for i := range c.patterns {
			p := &c.patterns[i]
			if !c.hit(&replies[r], p) {
				continue
			}
			violations = append(violations, map[string]any{"pattern": p.text, "turn": replies[r].Turn})
			found = append(found, say.Quote(p.text)+inTurn(s, replies[r].Turn))
		}
	}
	f := Finding{Score: 1, Explanation: "none of " + plural.Count(len(c.patterns), "pattern") + " found"}
	if len(found) > 0 {
		f.Score, f.Explanation = 0, "found "+say.Listed(found, ", ")
	}
	f.Details = map[string]any{"violations": violations}
	return f, nil
}

func (c *contentExcludes) hit(r *Reply, p *textPattern) bool {
	switch {
	case !c.wholeWords:
		return p.in(r, c.caseSensitive)
	case c.caseSensitive:
		return findWord(r.Text, p.text) >= 0
	}
	return findWord(r.Lower(), p.folded) >= 0
}
