package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/say"
)

var toolResultIncludesDef = define[toolResultIncludesParams](Def{
	Name:     "tool_result_includes",
	Summary:  "Results of tool calls contain every pattern; case does not matter.",
	Scoring:  "1 when at least occurrence results have every pattern, else 0.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Weighs:   CallResults,
	Reads:    ReadsResults,
})

type toolResultIncludesParams struct {
	resultScope
	Patterns   []string `param:"patterns,required" is:"text" all:"to ban each of them write a check for each" doc:"Texts that must all be in the same result."`
	Occurrence int      `param:"occurrence" default:"1" min:"1" doc:"Results that are wanted at least."`
}

func (p toolResultIncludesParams) Build(b *binder) Check {
	return &toolResultIncludes{p.resultScope, textPatterns(p.Patterns, b.turned), p.Occurrence}
}

type toolResultIncludes struct {
	resultScope
	patterns   []textPattern
	occurrence int
}

func (*toolResultIncludes) boundsRedacted() {}

func (c *toolResultIncludes) Eval(_ context.Context, s *Subject) (Finding, error) {
	matched, cut := 0, 0
	misses := []Details{}
	var last []string // patterns that the last result lacks
	n := c.each(s, func(i int, call *Call) {
		text := newToolText(call.Text(), s.masking)
		lacking := c.lacking(text)
		if len(lacking) == 0 {
			matched++
			return
		}
		if text.cut {
			cut++
		}
		last = lacking
		if len(misses) < say.ListLimit {
			misses = append(misses, Details{"call": i, "tool": call.Name, "patterns": lacking})
		}
	})
	f := Finding{Details: Details{"tool": c.ToolName, "missing": misses}}
	if n == 0 {
		return c.none(s, f.Details), nil
	}
	occurrences(&f, matched, c.occurrence, "every pattern is in", c.results(n))
	if f.Score < 1 && matched+cut >= c.occurrence {
		f.doubt = behindCut(s, f.Score)
	}
	if f.Score < 1 && last != nil {
		f.Explanation += "; the last that does not lacks " + say.Quoted(last)
	}
	return f, nil
}

func (c *toolResultIncludes) lacking(result *toolText) (patterns []string) {
	for i := range c.patterns {
		if p := &c.patterns[i]; !result.has(p, false) {
			patterns = append(patterns, p.text)
		}
	}
	return patterns
}
