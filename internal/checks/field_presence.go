package checks

import (
	"context"
	"fmt"
)

var fieldPresenceDef = define[fieldPresenceParams](Def{
	Name:     "field_presence",
	Aliases:  []string{"required_fields"},
	Summary:  "The reply mentions every field by its name, in prose or in JSON.",
	Scoring:  "Fields found / fields given.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
})

type fieldPresenceParams struct {
	Fields []string `param:"fields,required" alias:"required_fields" doc:"Names; upper and lower case are one."`
}

func (p fieldPresenceParams) Build(*binder) Check { return fieldPresence(textPatterns(p.Fields)) }

type fieldPresence []textPattern

func (c fieldPresence) Eval(_ context.Context, s *Subject) (Finding, error) {
	reply := s.last()
	missing := []string{}
	for i := range c {
		if !c[i].in(reply, false) {
			missing = append(missing, c[i].text)
		}
	}
	total := len(c)
	found := total - len(missing)
	explanation := fmt.Sprintf("%d of %s found", found, count(total, "field"))
	if len(missing) > 0 {
		explanation += ": missing " + quoted(missing)
	}
	return Finding{
		Score:       float64(found) / float64(total),
		Explanation: explanation,
		Details:     map[string]any{"found": found, "total": total, "missing": missing},
	}, nil
}
