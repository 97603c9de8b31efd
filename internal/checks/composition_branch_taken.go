package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/say"
)

var compositionBranchTakenDef = plain[compositionBranchTaken](Def{
	Name:     "composition_branch_taken",
	Summary:  "A branch of the composition went a way.",
	Scoring:  "1 when the branch went the expected way, else 0.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsWorkflow,
	Reads:    ReadsNothing,
	About:    CompositionPart,
})

type compositionBranchTaken struct {
	Branch   string `param:"branch,required" is:"step" doc:"Id of the branch."`
	Expected string `param:"expected,required" is:"step" doc:"Id of the step that it was to go to."`
}

func (c *compositionBranchTaken) Eval(_ context.Context, s *Subject) (Finding, error) {
	if s.Composition == nil || s.Composition.None {
		return Finding{}, errNoComposition
	}
	taken, decided := s.Composition.Branches[c.Branch]
	f := Finding{Details: Details{"branch": c.Branch, "expected": c.Expected, "actual": taken}}
	switch {
	case !decided:
		f.Explanation = "branch " + c.Branch + " was not decided; " + those("decisions of", s.Composition.Branches)
	case taken != c.Expected:
		f.Explanation = "branch " + c.Branch + " went to " + say.Named(taken) + ", expected " + c.Expected
	default:
		f.Score, f.Explanation = 1, "branch "+c.Branch+" went to "+c.Expected
	}
	return f, nil
}
