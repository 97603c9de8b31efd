package checks

import "github.com/arena-evals/arena/internal/grading"

var contextualPrecisionDef = define[retrievedParams](Def{
	Name:     "contextual_precision",
	Summary:  "A language model grades which share of the retrieved chunks is relevant to the question.",
	Scoring:  "Relevant chunks / chunks, as the judge counts them. " + gradeScoring,
	Family:   FamilyRAG,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsModel,
	Reads:    ReadsShown,
	AnyOf:    contextNames,
	Prompt:   Prompt{contextualPrecisionSystem, contextualPrecisionCriteria},
})

const contextualPrecisionSystem = `You check the precision of a retrieval. You get a question and the chunks that
were retrieved for it, each with its number.

Decide for every chunk, one after the other, whether it is relevant: it is when it holds information that helps to
answer the question, also if that is only a part of the answer or only a part of the chunk. A chunk that shares
words or a topic with the question and does not help to answer it is irrelevant. Each chunk counts once, as relevant
or not, whatever its length; a chunk that repeats another one counts like that one.

In your reasoning give the verdict on each chunk by its number. The score is the number of relevant chunks divided
by the number of chunks.` + grading.Rules

const contextualPrecisionCriteria = `Every chunk is relevant to the question. The score is the number of relevant
chunks divided by the number of all chunks.`

// retrievedParams are the parameters of checks that compare the chunks with the question.
type retrievedParams struct {
	contextParams
	questionParam
	mayCriteria
	judgeParams
}

func (p retrievedParams) Build(b *binder) Check {
	src := b.contextSource(&p.contextParams)
	if src == nil {
		return nil
	}
	return b.graded(&p.judgeParams, p.Criteria, func(s *Subject) ([]grading.Exhibit, error) {
		questions, err := p.exhibits(s)
		if err != nil {
			return nil, err
		}
		chunks, err := src.exhibits(s)
		return append(questions, chunks...), err
	})
}
