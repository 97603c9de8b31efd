package checks

import (
	"context"
	"fmt"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
)

var noToolErrorsDef = define[noToolErrorsParams](Def{
	Name:     "no_tool_errors",
	Summary:  "No tool call failed; the score is the share of the calls that did not.",
	Scoring:  "1 - failed calls / calls; 1 when there is none.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Weighs:   CallOutcomes,
	Reads:    ReadsNothing,
})

type noToolErrorsParams struct {
	Tools nameFilter `param:"tools" is:"tool" doc:"Look only at these tools; at all when left out."`
}

func (p noToolErrorsParams) Build(*binder) Check { return &noToolErrors{p.Tools} }

type noToolErrors struct{ tools nameFilter }

func (c *noToolErrors) Eval(_ context.Context, s *Subject) (Finding, error) {
	total := 0
	failures := []Details{}
	var texts []string
	for i := range s.Calls {
		call := &s.Calls[i]
		if !c.tools.keeps(call.Name) {
			continue
		}
		total++
		if call.Failed() {
			failures = append(failures, Details{
				"tool": call.Name, "error": say.Content(call.Error), "turn": call.Turn,
			})
			texts = append(texts, say.Named(call.Name)+inTurn(s, call.Turn)+": "+say.Quote(call.Error))
		}
	}
	f := Finding{Score: 1, Explanation: plural.Count(total, "call") + ", none failed", Details: Details{
		"errors": failures, "total_calls": total,
	}}
	if len(failures) > 0 {
		f.Score = float64(total-len(failures)) / float64(total)
		f.Explanation = fmt.Sprintf("%d of %s failed: %s", len(failures), plural.Count(total, "call"),
			say.Listed(texts, "; "))
	}
	return f, nil
}

func (c *noToolErrors) looksAt(_ CallParts, tool string) bool { return c.tools.keeps(tool) }
