package checks

var audioFormatDef = define[audioFormatParams](Def{
	Name:     "audio_format",
	Summary:  "Every sound of the reply and of tool results is of one of the formats.",
	Scoring:  "1 when there are sounds and all are, else 0.",
	Family:   FamilyMedia,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsMedia,
	Reads:    ReadsMedia,
})

type audioFormatParams struct{ mediaFormats }

func (p audioFormatParams) Build(*binder) Check { return p.check("audio") }
