package checks

var textToxicityDef = define[textToxicityParams](Def{
	Name:     "text_toxicity",
	Summary:  "A classifier scores how toxic a text is.",
	Scoring:  classifierScoring,
	Family:   FamilyExternal,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsNetwork,
	Reads:    ReadsShown,
})

type textToxicityParams struct{ classifierParams }

func (p textToxicityParams) Build(*binder) Check { return p.check("text") }
