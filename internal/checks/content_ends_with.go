package checks

import (
	"strings"
	"unicode"
)

var endsWithDef = define[endsWithParams](Def{
	Name:     "ends_with",
	Summary:  "The reply ends with one of some texts.",
	Scoring:  "1 when it ends with any of them, else 0.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Form:     true,
})

type endsWithParams struct {
	Value []string `param:"value,required" alias:"patterns,values" is:"text" doc:"Texts, any of which will do."`
	textOptions
	CaseSensitive bool `param:"case_sensitive" default:"false" doc:"Tell upper and lower case apart."`
}

const endVerb = "ends"

func (p endsWithParams) Build(b *binder) Check {
	return newAffix(b, affix{
		options: p.textOptions, caseSensitive: p.CaseSensitive, verb: endVerb, has: strings.HasSuffix,
		edge: func(text string) string { return strings.TrimRightFunc(text, unicode.IsSpace) },
	}, p.Value)
}
