package checks

import "context"

var compositionOutputDef = define[compositionOutputParams](Def{
	Name:     "composition_output",
	Summary:  "The output of the composition, the reply, is or contains a text or JSON, or at least is not empty.",
	Scoring:  "1 when the output is as expected, else 0.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	About:    CompositionPart,
})

type compositionOutputParams struct{ textExpectation }

func (p compositionOutputParams) Build(b *binder) Check {
	p.check(b)
	return &compositionOutput{p.textExpectation}
}

type compositionOutput struct{ textExpectation }

func (c *compositionOutput) Eval(_ context.Context, s *Subject) (Finding, error) {
	f := Finding{Details: Details{}}
	text := s.Output()
	if ran := s.Composition; ran != nil && ran.None {
		return f, errNoComposition
	} else if ran != nil && ran.Output != nil {
		text = *ran.Output
	}
	err := c.judge(&f, "the output", text)
	return f, err
}
