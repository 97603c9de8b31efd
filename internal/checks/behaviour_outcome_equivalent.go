package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/say"
)

var outcomeEquivalentDef = define[outcomeEquivalent](Def{
	Name:     "outcome_equivalent",
	Summary:  "The run ended as declared: with the same tools called, in the same state, or with the same reply.",
	Scoring:  "1 when the two are equal or there is nothing to compare with, else 0.",
	Family:   FamilyBehaviour,
	Surfaces: OnEval,
	Needs:    NeedsReply | NeedsCalls | NeedsCompute,
})

type outcomeEquivalent struct {
	Metric string `param:"metric,required" words:"tool_calls,final_state,content_hash" doc:"What is compared."`

	ExpectedTools   []string `param:"expected_tools" is:"tool" doc:"For tool_calls: names; order and repeats do not matter."`
	ExpectedState   *string  `param:"expected_state" is:"state" doc:"For final_state: the state of the workflow."`
	ExpectedContent *string  `param:"expected_content" is:"prose" doc:"For content_hash: the whole last reply, byte for byte."`
}

var outcomeComparands = map[string]string{
	"tool_calls": "expected_tools", "final_state": "expected_state", "content_hash": "expected_content",
}

func (p outcomeEquivalent) Build(b *binder) Check {
	warnComparand(b, "metric", p.Metric, outcomeComparands)
	return &p
}

func (c *outcomeEquivalent) hides(s *Subject) bool {
	return c.Metric == "content_hash" && s.takenOut(ReadsReply)
}

func (c *outcomeEquivalent) Eval(_ context.Context, s *Subject) (f Finding, err error) {
	switch {
	case c.Metric == "tool_calls" && c.ExpectedTools != nil:
		f = sameTools(s.Calls, c.ExpectedTools)
	case c.Metric == "final_state" && c.ExpectedState != nil:
		f, err = sameState(s.Workflow, *c.ExpectedState)
	case c.Metric == "content_hash" && c.ExpectedContent != nil:
		f = sameContent(s.Output(), *c.ExpectedContent)
	default:
		f = nothingToCompare(outcomeComparands[c.Metric])
	}
	if err == nil {
		f.Details["metric"] = c.Metric
	}
	return f, err
}

func sameContent(got, expected string) Finding {
	f := Finding{Score: 1, Explanation: "the reply is as expected", Details: Details{
		"expected": say.Content(expected), "actual": say.Content(got),
	}}
	if got != expected {
		f.Score, f.Explanation = 0, "the reply "+difference(got, expected)
	}
	return f
}
