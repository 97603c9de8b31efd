package checks

import (
	"context"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/say"
)

var compositionStepOutputDef = define[compositionStepOutputParams](Def{
	Name:     "composition_step_output",
	Summary:  "The output of a step of the composition is or contains a text or JSON, or at least is not empty.",
	Scoring:  "1 when the output is as expected, else 0.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsWorkflow,
	About:    CompositionPart,
})

type compositionStepOutputParams struct {
	Step string `param:"step,required" is:"step" doc:"Id of the step."`
	textExpectation
}

func (p compositionStepOutputParams) Build(b *binder) Check {
	p.check(b)
	return &compositionStepOutput{p.Step, p.textExpectation}
}

type compositionStepOutput struct {
	step string
	textExpectation
}

func (c *compositionStepOutput) Eval(_ context.Context, s *Subject) (Finding, error) {
	if s.Composition == nil || s.Composition.None {
		return Finding{}, errNoComposition
	}
	f := Finding{Details: Details{"step": c.step}}
	text, ran := s.Composition.Outputs[c.step]
	if !ran {
		f.Explanation = "step " + c.step + " gave no output; " + those("outputs of", s.Composition.Outputs)
		f.silent = c.given() // it would prove nothing that a text is not in it
		return f, nil
	}
	err := c.judge(&f, "the output of "+c.step, text)
	return f, err
}

// those lists the ids of a map, such as: outputs of draft, review.
func those(what string, byID map[string]string) string {
	if len(byID) == 0 {
		return "there are none"
	}
	return "there are " + what + " " + say.Chained(slices.Sorted(maps.Keys(byID)))
}
