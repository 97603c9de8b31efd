package checks

import (
	"context"
	"regexp"

	"github.com/arena-evals/arena/internal/say"
)

var toolResultMatchesDef = define[toolResultMatchesParams](Def{
	Name:     "tool_result_matches",
	Summary:  "Results of tool calls match a regular expression.",
	Scoring:  "1 when at least occurrence results match, else 0.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Weighs:   CallResults,
	Reads:    ReadsResults,
})

type toolResultMatchesParams struct {
	resultScope
	Pattern    pattern `param:"pattern,required" any:"idle" doc:"RE2 syntax; matches anywhere; (?i) at the start ignores case."`
	Occurrence int     `param:"occurrence" default:"1" min:"1" doc:"Results that are wanted at least."`
}

func (p toolResultMatchesParams) Build(*binder) Check {
	return &toolResultMatches{p.resultScope, p.Pattern.Regexp, p.Occurrence}
}

type toolResultMatches struct {
	resultScope
	re         *regexp.Regexp
	occurrence int
}

func (*toolResultMatches) boundsRedacted() {}

func (c *toolResultMatches) Eval(_ context.Context, s *Subject) (Finding, error) {
	matched, cut, last := 0, 0, ""
	n := c.each(s, func(_ int, call *Call) {
		text := newToolText(call.Text(), s.masking)
		if text.matches(c.re) {
			matched++
			return
		}
		if text.cut {
			cut++
		}
		last = text.text
	})
	f := Finding{Details: Details{"tool": c.ToolName, "pattern": c.re.String()}}
	if n == 0 {
		return c.none(s, f.Details), nil
	}
	occurrences(&f, matched, c.occurrence, say.Quote(c.re.String())+" matches", c.results(n))
	if f.Score < 1 && matched+cut >= c.occurrence {
		f.doubt = behindCut(s, f.Score)
	}
	if f.Score < 1 && matched < n {
		f.Explanation += "; the last that does not is " + say.Quote(last)
		f.Details["actual"] = say.Content(last)
	}
	return f, nil
}
