package checks

var textSentimentDef = define[textSentimentParams](Def{
	Name:     "text_sentiment",
	Summary:  "A classifier scores how much a text has one sentiment, such as positive.",
	Scoring:  classifierScoring,
	Family:   FamilyExternal,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsNetwork,
	Reads:    ReadsShown,
})

type textSentimentParams struct{ classifierParams }

func (p textSentimentParams) Build(*binder) Check { return p.check("text") }
