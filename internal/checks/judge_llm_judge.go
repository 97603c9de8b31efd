package checks

import "github.com/arena-evals/arena/internal/grading"

var llmJudgeDef = define[llmJudgeParams](Def{
	Name:     "llm_judge",
	Summary:  "A language model grades the reply by criteria in words.",
	Scoring:  gradeScoring,
	Family:   FamilyJudge,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsModel,
	Reads:    ReadsShown,
	Prompt:   Prompt{System: llmJudgeSystem},
})

const llmJudgeSystem = `You are an experienced and impartial evaluator of AI assistants. You get criteria, sometimes
a rubric, and one reply of an assistant. Grade how far the reply meets the criteria: 1 means that it meets all of
them in every respect, 0 that it meets none of them, and what lies between is in proportion to what is met and how
much that matters.` + grading.Rules

// gradeScoring explains the score of checks with a judge.
const gradeScoring = "What the judge gives, from 0 to 1; of several votes the median. Whether the judge would pass " +
	"it does not count, unless it gives no number at all: then that is 1 or 0. A reply of which the score is no number " +
	"from 0 to 1, one that tells of an error, one that says neither, and one whose JSON object stands among other " +
	"words, also when the judge is asked again, is an error."

type llmJudgeParams struct {
	mustCriteria
	judgeParams
}

func (p llmJudgeParams) Build(b *binder) Check {
	return b.graded(&p.judgeParams, p.Criteria, func(s *Subject) ([]grading.Exhibit, error) {
		return replyExhibits(s, "reply"), nil
	})
}
