package checks

var imageModerationDef = define[imageModerationParams](Def{
	Name:     "image_moderation",
	Summary:  "A classifier scores how much an image is of one kind, such as nsfw.",
	Scoring:  classifierScoring,
	Family:   FamilyMedia,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsMedia | NeedsNetwork,
	Reads:    ReadsMedia,
})

type imageModerationParams struct{ classifierParams }

func (p imageModerationParams) Build(*binder) Check { return p.check("image") }
