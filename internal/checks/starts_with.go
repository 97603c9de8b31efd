package checks

import (
	"context"
	"strings"
)

var startsWithDef = define[startsWithParams](Def{
	Name:     "starts_with",
	Summary:  "The reply begins with one of some texts.",
	Scoring:  "1 when it begins with any of them, else 0.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
})

type startsWithParams struct {
	Value []string `param:"value,required" alias:"patterns,values" doc:"Texts, any of which will do."`
	textOptions
	CaseSensitive bool `param:"case_sensitive" default:"false" doc:"Tell upper and lower case apart."`
}

func (p startsWithParams) Build(b *binder) Check {
	return &affix{p.affixes(b, p.Value), p.textOptions, p.CaseSensitive, strings.HasPrefix, "begins"}
}

// affixes prepares what a reply may begin or end with.
func (o textOptions) affixes(b *binder, values []string) []textPattern {
	trimmed := make([]string, len(values))
	for i, v := range values {
		if trimmed[i] = o.edges(v); trimmed[i] == "" {
			b.errorf("value", "empty-value", "value %s is blank, and with trim every reply has it", quote(v))
		}
	}
	return textPatterns(trimmed)
}

// affix is a text at one end of the reply.
type affix struct {
	values        []textPattern
	options       textOptions
	caseSensitive bool
	has           func(text, affix string) bool
	verb          string
}

func (c *affix) Eval(_ context.Context, s *Subject) (Finding, error) {
	reply := s.last()
	text := c.options.edges(reply.Text)
	folded := text
	if !c.caseSensitive {
		folded = c.options.edges(reply.Lower())
	}
	for i := range c.values {
		v := &c.values[i]
		if c.caseSensitive && c.has(text, v.text) || !c.caseSensitive && c.has(folded, v.folded) {
			return Finding{Score: 1, Explanation: c.verb + " with " + quote(v.text)}, nil
		}
	}
	wanted := make([]string, len(c.values))
	for i := range c.values {
		wanted[i] = quote(c.values[i].text)
	}
	return Finding{
		Explanation: c.verb + " with " + c.end(text) + ", expected " + listed(wanted, " or "),
		Details:     map[string]any{"content": cut(text, contentLimit)},
	}, nil
}

// end is the end of the reply at which the check looks, quoted.
func (c *affix) end(text string) string {
	if c.verb == endVerb {
		return quoteEnd(text)
	}
	return quote(text)
}
