package checks

import (
	"context"
	"errors"
	"slices"

	"github.com/arena-evals/arena/internal/say"
)

var finishReasonDef = define[finishReasonParams](Def{
	Name:     "finish_reason",
	Summary:  "The model ended its last reply for one of some reasons.",
	Scoring:  "1 when the reason is one of them, else 0.",
	Family:   FamilyContent,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
})

type finishReasonParams struct {
	Reasons []string `param:"reasons,required" alias:"reason,value" words:"stop,length,tool_calls,content_filter" doc:"Length is a reply that was cut at max_tokens."`
}

func (p finishReasonParams) Build(*binder) Check { return finishReason(p.Reasons) }

type finishReason []string

func (c finishReason) Eval(_ context.Context, s *Subject) (Finding, error) {
	reason := s.Messages[s.last().Index].FinishReason
	if reason == "" {
		return Finding{}, errNoFinishReason
	}
	f := Finding{
		Score: 1, Explanation: "the reply ended with " + say.Named(reason),
		Details: map[string]any{"finish_reason": reason, "expected": []string(c)},
	}
	if !slices.Contains(c, reason) {
		f.Score = 0
		f.Explanation += ", expected " + say.Or(c)
	}
	return f, nil
}

var errNoFinishReason = errors.New("the provider did not say why the reply ended")
