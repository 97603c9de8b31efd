package checks

import "github.com/arena-evals/arena/internal/grading"

var faithfulnessDef = define[groundedParams](Def{
	Name:     "faithfulness",
	Summary:  "A language model grades how much of what the reply claims is supported by the retrieved context.",
	Scoring:  "Claims that the context supports / claims of the reply, as the judge counts them. " + gradeScoring,
	Family:   FamilyRAG,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsModel,
	Reads:    ReadsShown,
	AnyOf:    contextNames,
	Prompt:   Prompt{faithfulnessSystem, faithfulnessCriteria},
})

const faithfulnessSystem = `You check whether an answer is faithful to the context that was retrieved for it. You
get the chunks of the context and the answer.

Work in three steps:
1. List every claim of the answer that could be true or false. Greetings, questions, offers and the admission that
something is not known are no claims.
2. For each claim find the chunk that states it, or from which it follows without further knowledge. A claim in
other words than the chunk is supported. A claim that goes further than the chunk, is more precise, or contradicts
it, is not, and neither is one that you know to be true but that no chunk supports.
3. Divide the number of supported claims by the number of claims. An answer that claims nothing is faithful, and an
empty one is not an answer and scores 0.` + grading.Rules

const faithfulnessCriteria = `Every claim of the answer is supported by the chunks. The score is the share of the
claims that are: 1 when all of them are, 0 when none is.`

// groundedParams are the parameters of checks that compare the reply with a context.
type groundedParams struct {
	contextParams
	mayCriteria
	judgeParams
}

func (p groundedParams) Build(b *binder) Check {
	src := b.contextSource(&p.contextParams)
	if src == nil {
		return nil
	}
	return b.graded(&p.judgeParams, p.Criteria, func(s *Subject) ([]grading.Exhibit, error) {
		exhibits, err := src.exhibits(s)
		return append(exhibits, replyExhibits(s, "answer")...), err
	})
}
