package checks

import (
	"context"
	"errors"
	"slices"

	"github.com/arena-evals/arena/internal/say"
)

var finishReasonDef = define[finishReason](Def{
	Name:     "finish_reason",
	Summary:  "The model ended its last reply for one of some reasons.",
	Scoring:  "1 when the reason is one of them, else 0.",
	Family:   FamilyContent,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
	Wordless: true,
	Reads:    ReadsNothing,
	Form:     true,

	LastReply: true,
})

type finishReason struct {
	Reasons []string `param:"reasons,required" alias:"reason,value" words:"stop,length,tool_calls,content_filter" doc:"Length is a reply that was cut at max_tokens."`
}

// finishReasons is the number of finish reasons.
const finishReasons = 4

func (c finishReason) Build(b *binder) Check {
	if len(slices.Compact(slices.Sorted(slices.Values(c.Reasons)))) == finishReasons {
		b.noteVacuousWithHint("reasons", limitHolds, "it lists every reason there is", "list those that are right: [stop]")
	}
	return &c
}

func (c *finishReason) Eval(_ context.Context, s *Subject) (Finding, error) {
	reason := s.Messages[s.last().Index].FinishReason
	if reason == "" {
		return Finding{}, errNoFinishReason
	}
	f := Finding{
		Score: 1, Explanation: "the reply ended with " + say.Named(reason),
		Details: Details{"finish_reason": reason, "expected": c.Reasons},
	}
	if !slices.Contains(c.Reasons, reason) {
		f.Score = 0
		f.Explanation += ", expected " + say.Or(c.Reasons)
	}
	return f, nil
}

var errNoFinishReason = errors.New("the provider did not say why the reply ended")
