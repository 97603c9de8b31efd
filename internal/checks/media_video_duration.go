package checks

var videoDurationDef = define[videoDurationParams](Def{
	Name:     "video_duration",
	Summary:  "Every video of the reply and of tool results lasts as long as it should.",
	Scoring:  "1 when there are videos, the duration of all is known and fits, else 0.",
	Family:   FamilyMedia,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsMedia,
	Reads:    ReadsMedia,
})

type videoDurationParams struct{ mediaDurations }

func (p videoDurationParams) Build(b *binder) Check { return p.check(b, "video") }
