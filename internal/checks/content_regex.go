package checks

import (
	"context"
	"regexp"

	"github.com/arena-evals/arena/internal/say"
)

var regexDef = define[regexParams](Def{
	Name:     "regex",
	Aliases:  []string{"content_matches"},
	Summary:  "The reply matches a regular expression.",
	Scoring:  "1 when the pattern matches and expect_match is true, or does not and it is false; else 0.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
})

type regexParams struct {
	Pattern     pattern `param:"pattern,required" any:"decides" doc:"RE2 syntax; matches anywhere; (?i) at the start ignores case."`
	ExpectMatch bool    `param:"expect_match" default:"true" doc:"False asks for a reply that does not match."`
}

func (p regexParams) Build(*binder) Check { return &regex{re: p.Pattern.Regexp, expect: p.ExpectMatch} }

func (c *regex) scoreOfMatch() float64 { return allOrNothing(c.expect) }

type regex struct {
	re     *regexp.Regexp
	expect bool
}

func (*regex) heedsVeil() {}

func (c *regex) Eval(_ context.Context, s *Subject) (Finding, error) {
	text := s.Output()
	at := s.veil.find(c.re, text)
	f := Finding{Details: Details{"pattern": c.re.String(), "matched": at != nil}}
	if at != nil {
		match := text[at[0]:at[1]]
		f.Explanation = say.Quote(match) + " matches " + say.Quote(c.re.String())
		f.Details["match"] = say.Content(match)
	} else {
		f.Explanation = "nothing matches " + say.Quote(c.re.String())
	}
	if (at != nil) == c.expect {
		f.Score = 1
	} else {
		f.Details["content"] = say.Content(text)
	}
	return f, nil
}
