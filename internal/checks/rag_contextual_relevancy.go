package checks

import "github.com/arena-evals/arena/internal/grading"

var contextualRelevancyDef = define[retrievedParams](Def{
	Name:     "contextual_relevancy",
	Summary:  "A language model grades how relevant the retrieved chunks are to the question, on average.",
	Scoring:  "The mean over the chunks of how relevant each is, from 0 to 1, as the judge sees it. " + gradeScoring,
	Family:   FamilyRAG,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsModel,
	Reads:    ReadsShown,
	AnyOf:    contextNames,
	Prompt:   Prompt{contextualRelevancySystem, contextualRelevancyCriteria},
})

const contextualRelevancySystem = `You grade the relevance of what a retrieval brought. You get a question and the
chunks that were retrieved for it, each with its number.

Grade every chunk, one after the other, from 0 to 1: 1 when all of it helps to answer the question, 0 when nothing
in it does, and what lies between by how much of the chunk helps and how much it helps. Sharing a topic or some
words with the question is no help by itself.

In your reasoning give the grade of each chunk by its number. The score is the mean of these grades; every chunk
counts the same, whatever its length.` + grading.Rules

const contextualRelevancyCriteria = `All of every chunk is relevant to the question. The score is the mean of the
grades of the chunks, each from 0 to 1.`
