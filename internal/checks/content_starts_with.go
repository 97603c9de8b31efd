package checks

import (
	"context"
	"strings"
	"unicode"

	"github.com/arena-evals/arena/internal/say"
)

var startsWithDef = define[startsWithParams](Def{
	Name:     "starts_with",
	Summary:  "The reply begins with one of some texts.",
	Scoring:  "1 when it begins with any of them, else 0.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Form:     true,
})

type startsWithParams struct {
	Value []string `param:"value,required" alias:"patterns,values" is:"text" doc:"Texts, any of which will do."`
	textOptions
	CaseSensitive bool `param:"case_sensitive" default:"false" doc:"Tell upper and lower case apart."`
}

func (p startsWithParams) Build(b *binder) Check {
	return newAffix(b, affix{
		options: p.textOptions, caseSensitive: p.CaseSensitive, verb: "begins", has: strings.HasPrefix,
		edge: func(text string) string { return strings.TrimLeftFunc(text, unicode.IsSpace) },
	}, p.Value)
}

// affix is a text at one end of the reply.
type affix struct {
	values        []textPattern
	options       textOptions
	caseSensitive bool
	verb          string
	has           func(text, affix string) bool
	edge          func(text string) string // removes the white space at that end
}

func newAffix(b *binder, c affix, values []string) Check {
	trimmed := make([]string, len(values))
	for i, v := range values {
		if trimmed[i] = c.trim(v); trimmed[i] == "" {
			b.errorf("value", "empty-value", "value %s is blank: with trim every reply has it", say.Quote(v))
		}
	}
	c.values = textPatterns(trimmed, b.turned)
	return &c
}

func (c *affix) trim(text string) string {
	if c.options.Trim {
		return c.edge(text)
	}
	return text
}

func (*affix) boundsRedacted() {}

func (c *affix) Eval(_ context.Context, s *Subject) (Finding, error) {
	reply := s.last()
	has := func(text, affix string) bool { return c.has(c.trim(text), affix) }
	wanted := make([]string, len(c.values))
	for i := range c.values {
		v := &c.values[i]
		if v.fits(reply, c.caseSensitive, has) {
			return Finding{Score: 1, Explanation: c.verb + " with " + say.Quote(v.text)}, nil
		}
		wanted[i] = say.Quote(v.text)
	}
	text := c.trim(reply.Text)
	return Finding{
		Explanation: c.verb + " with " + c.shown(text) + ", expected " + say.Listed(wanted, " or "),
		Details:     Details{"content": say.Content(text)},
	}, nil
}

// shown returns the end of the reply that the check looks at, quoted.
func (c *affix) shown(text string) string {
	if c.verb == endVerb {
		return say.QuoteEnd(text)
	}
	return say.Quote(text)
}
