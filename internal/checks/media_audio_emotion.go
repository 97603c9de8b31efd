package checks

var audioEmotionDef = define[audioEmotionParams](Def{
	Name:     "audio_emotion",
	Summary:  "A classifier scores how much a sound has one emotion, such as happy.",
	Scoring:  classifierScoring,
	Family:   FamilyMedia,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsMedia | NeedsNetwork,
	Reads:    ReadsMedia,
})

type audioEmotionParams struct{ classifierParams }

func (p audioEmotionParams) Build(*binder) Check { return p.check("audio") }
