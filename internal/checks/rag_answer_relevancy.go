package checks

import "github.com/arena-evals/arena/internal/grading"

var answerRelevancyDef = define[answerRelevancyParams](Def{
	Name:    "answer_relevancy",
	Summary: "A language model grades how directly the reply answers the question.",
	Scoring: "The share of the reply that serves the question, less what it leaves unanswered, as the judge sees it. " +
		gradeScoring,
	Family:   FamilyRAG,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsModel,
	Reads:    ReadsShown,
	Prompt:   Prompt{answerRelevancySystem, answerRelevancyCriteria},
})

const answerRelevancySystem = `You check whether an answer is relevant to the question to which it was given. You
get the question and the answer.

Work in three steps:
1. State for yourself what the question asks for, each part of it.
2. Go through the statements of the answer. A statement is relevant when it answers a part of the question, or is
needed to understand or use the answer. Digressions, padding, advertisement, and answers to a question that nobody
asked are not.
3. Start with the share of the statements that are relevant, and lower it for each part of the question that is left
without an answer. Who declines to answer, or says that the answer is not known, has answered only as far as that
tells the user what to do next. An empty answer scores 0.

Whether the answer is correct does not matter here.` + grading.Rules

const answerRelevancyCriteria = `The answer addresses the question, all of it, and nothing else. The score is 1 when
every statement serves the question and no part of it is left open, and 0 when nothing in the answer has to do with
the question.`

type answerRelevancyParams struct {
	questionParam
	mayCriteria
	judgeParams
}

func (p answerRelevancyParams) Build(b *binder) Check {
	return b.graded(&p.judgeParams, p.Criteria, func(s *Subject) ([]grading.Exhibit, error) {
		return p.answered(s)
	})
}
