package checks

import "github.com/arena-evals/arena/internal/grading"

var hallucinationDef = define[groundedParams](Def{
	Name:     "hallucination",
	Summary:  "A language model grades how free the reply is of what the context contradicts or does not support.",
	Scoring:  "1 without any unsupported claim, 0 when the reply is made up, as the judge weighs it. " + gradeScoring,
	Family:   FamilyRAG,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsModel,
	Reads:    ReadsShown,
	AnyOf:    contextNames,
	Prompt:   Prompt{hallucinationSystem, hallucinationCriteria},
	Clean:    GradesClean,
})

const hallucinationSystem = `You look for hallucinations: what an answer asserts although the context does not
support it or says the opposite. You get the chunks of the context and the answer.

Work in three steps:
1. Go through the answer sentence by sentence and note every assertion of a fact: names, numbers, dates, quotations,
sources, causes, and what is possible or allowed.
2. Hold each of them against the chunks. It is a hallucination when a chunk contradicts it, or when no chunk states
or implies it, even if you know it to be true. Other words for the same thing are no hallucination, and neither are
greetings, questions, offers and the admission that something is not known.
3. Weigh what you found: an invention on which a reader would act (an amount, a deadline, a right, a source) weighs
more than a harmless embellishment, and a contradiction more than something that is merely not covered.` + grading.Rules

const hallucinationCriteria = `The answer asserts nothing that the chunks contradict or do not support. The score is
1 when there is no hallucination at all, and 0 when the answer is made up in what matters.`
