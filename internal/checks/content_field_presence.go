package checks

import "context"

var fieldPresenceDef = define[fieldPresenceParams](Def{
	Name:     "field_presence",
	Aliases:  []string{"required_fields"},
	Summary:  "The reply mentions every field by its name, in prose or in JSON.",
	Scoring:  "Fields found / fields given.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Shares:   true,
})

type fieldPresenceParams struct {
	Fields []string `param:"fields,required" alias:"required_fields" is:"name" all:"contains_any in its place bans each of them" doc:"Names; upper and lower case are one."`
}

func (p fieldPresenceParams) Build(b *binder) Check {
	return fieldPresence(textPatterns(p.Fields, b.turned))
}

type fieldPresence []textPattern

func (fieldPresence) boundsRedacted() {}

func (c fieldPresence) Eval(_ context.Context, s *Subject) (Finding, error) {
	return shareFound(c, s.last(), false, "field", "missing"), nil
}
