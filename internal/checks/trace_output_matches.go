package checks

var outputMatchesDef = define[outputMatchesParams](Def{
	Name:     "output_matches",
	Summary:  "The last reply matches a regular expression.",
	Scoring:  "1 when it matches, else 0.",
	Family:   FamilyTrace,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
})

type outputMatchesParams struct {
	Pattern pattern `param:"pattern,required" any:"decides" doc:"RE2 syntax; matches anywhere; (?i) at the start ignores case."`
}

func (p outputMatchesParams) Build(b *binder) Check { return newRegex(b, p.Pattern, true) }
