package checks

import "github.com/arena-evals/arena/internal/grading"

var contextualRecallDef = define[contextualRecallParams](Def{
	Name:    "contextual_recall",
	Summary: "A language model grades how much of a reference answer the retrieved chunks cover.",
	Scoring: "Claims of the reference that the chunks support / claims of the reference, as the judge counts them. " +
		gradeScoring,
	Family:   FamilyRAG,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsModel,
	Reads:    ReadsShown,
	AnyOf:    contextNames,
	Prompt:   Prompt{contextualRecallSystem, contextualRecallCriteria},
})

const contextualRecallSystem = `You check the recall of a retrieval. You get a reference answer, which is right, and
the chunks that were retrieved, each with its number.

Work in three steps:
1. List the claims of the reference answer, each fact by itself.
2. For each claim decide whether a chunk, or several chunks together, state it or let it follow without further
knowledge. Other words for the same thing count; a chunk that is only about the same topic does not.
3. Divide the number of covered claims by the number of claims.

In your reasoning name the claims that are not covered.` + grading.Rules

const contextualRecallCriteria = `The chunks cover everything that the reference answer says. The score is the
number of its claims that the chunks support, divided by the number of all its claims.`

type contextualRecallParams struct {
	contextParams
	Reference requiredText `param:"reference,required" alias:"expected_output" is:"prose" doc:"The right answer."`
	mayCriteria
	judgeParams
}

func (p contextualRecallParams) Build(b *binder) Check {
	src := b.contextSource(&p.contextParams)
	if src == nil {
		return nil
	}
	return b.graded(&p.judgeParams, p.Criteria, func(s *Subject) ([]grading.Exhibit, error) {
		chunks, err := src.exhibits(s)
		return append([]grading.Exhibit{grading.Show("reference answer", string(p.Reference))}, chunks...), err
	})
}
