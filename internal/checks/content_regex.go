package checks

import (
	"context"
	"regexp"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textsearch"
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

func (p regexParams) Build(b *binder) Check {
	return newRegex(b, p.Pattern, p.ExpectMatch)
}

// newRegex makes a check that requires a match or forbids one. A forbidden match is also looked for in the plain
// spelling of the reply (composed accents, straight quotes), and in it without Markdown marks, unless the pattern has
// such marks.
func newRegex(b *binder, p pattern, expect bool) *regex {
	c := &regex{re: p.Regexp, expect: expect, banned: expect == b.turned}
	if c.re == nil || !c.banned {
		return c
	}
	c.unmarked = !namesMarks().MatchString(c.re.String())
	if text := textsearch.Composed(c.re.String()); text != c.re.String() {
		if re, err := b.c.regexp(text); err == nil {
			c.re = re
		}
	}
	return c
}

func (c *regex) scoreOfMatch() float64 { return allOrNothing(c.expect) }

func (c *regex) bannedBy() string { return bannedIf("expect_match", c.expect) }

type regex struct {
	re     *regexp.Regexp
	expect bool
	banned bool // a match is forbidden

	unmarked bool // the pattern has no Markdown marks
}

func (*regex) boundsRedacted() {}

func (*regex) selfContained() {}

func (c *regex) Eval(_ context.Context, s *Subject) (Finding, error) {
	text := s.Output()
	at := s.masking.find(c.re, text)
	if at == nil && c.banned && !strings.Contains(text, maskRune) {
		plain := textsearch.Plain(text)
		others := []string{plain, straightQuotes().Replace(plain)}
		if c.unmarked {
			plain = textsearch.Plain(textsearch.Unmarked(text))
			others = append(others, plain, straightQuotes().Replace(plain))
		}
		for _, other := range others {
			if at == nil && other != text {
				if at = c.re.FindStringIndex(other); at != nil {
					text = other
				}
			}
		}
	}
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

// namesMarks finds marks of Markdown and HTML in a pattern, and character classes that may contain them.
var namesMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[`~<>]|\\\\[\\[\\]]|\\\\[*_\\\\]|\\[\\^?[^\\]]*[*_]|(?:^|\\W)_|_(?:\\W|$)")
})
