package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/say"
)

var outputContainsDef = define[outputContainsParams](Def{
	Name:     "output_contains",
	Summary:  "The last reply contains a text.",
	Scoring:  "1 when the text is found, else 0.",
	Family:   FamilyTrace,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
})

type outputContainsParams struct {
	Value         string `param:"value,required" is:"text" doc:"The text, as it is."`
	CaseSensitive bool   `param:"case_sensitive" default:"false" doc:"Tell upper and lower case apart."`
}

func (p outputContainsParams) Build(b *binder) Check {
	return &outputContains{newTextPattern(p.Value, b.turned), p.CaseSensitive}
}

type outputContains struct {
	pattern       textPattern
	caseSensitive bool
}

func (*outputContains) boundsRedacted() {}

func (c *outputContains) Eval(_ context.Context, s *Subject) (Finding, error) {
	if c.pattern.in(s.last(), c.caseSensitive) {
		return Finding{Score: 1, Explanation: "found " + say.Quote(c.pattern.text)}, nil
	}
	return Finding{
		Explanation: "missing " + say.Quote(c.pattern.text),
		Details: Details{"missing_patterns": []string{c.pattern.text},
			"content": say.Content(s.Output())},
	}, nil
}
