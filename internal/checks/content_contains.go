package checks

import "context"

var containsDef = define[containsParams](Def{
	Name:     "contains",
	Aliases:  []string{"content_includes"},
	Summary:  "The reply contains every pattern; the score is the share that it contains.",
	Scoring:  "Patterns found / patterns given.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Shares:   true,
})

type containsParams struct {
	Patterns      []string `param:"patterns,required" is:"text" all:"contains_any in its place bans each of them, and so does content_excludes without the not" doc:"Texts that the reply must contain, as they are."`
	CaseSensitive bool     `param:"case_sensitive" default:"false" doc:"Tell upper and lower case apart."`
}

func (p containsParams) Build(b *binder) Check {
	return &contains{patterns: textPatterns(p.Patterns, b.turned), caseSensitive: p.CaseSensitive}
}

type contains struct {
	patterns      []textPattern
	caseSensitive bool
}

func (*contains) boundsRedacted() {}

func (c *contains) Eval(_ context.Context, s *Subject) (Finding, error) {
	return shareFound(c.patterns, s.last(), c.caseSensitive, "pattern", "missing_patterns"), nil
}
