package checks

import (
	"context"
	"fmt"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
)

var toolNoRepeatDef = plain[toolNoRepeat](Def{
	Name:     "tool_no_repeat",
	Summary:  "No tool is called several times in a row, whatever the arguments.",
	Scoring:  "0 when a tool was called more often in a row than max_repeats, else 1.",
	Family:   FamilyTools,
	Surfaces: OnEval,
	Needs:    NeedsCalls,
	Bans:     true,
})

type toolNoRepeat struct {
	Tools      nameFilter `param:"tools" is:"tool" doc:"Look only at these tools; at all when left out."`
	MaxRepeats int        `param:"max_repeats" default:"1" min:"1" doc:"Calls in a row that are allowed."`
}

func (c *toolNoRepeat) Eval(_ context.Context, s *Subject) (Finding, error) {
	violations := []map[string]any{}
	var texts []string
	for at := 0; at < len(s.Calls); {
		name, n := s.Calls[at].Name, 1
		for at+n < len(s.Calls) && s.Calls[at+n].Name == name {
			n++
		}
		if n > c.MaxRepeats && c.Tools.keeps(name) {
			violations = append(violations, map[string]any{"tool": name, "consecutive": n, "at": at})
			texts = append(texts, fmt.Sprintf("%s was called %s in a row%s", say.Named(name), say.Times(n),
				inTurn(s, s.Calls[at].Turn)))
		}
		at += n
	}
	f := Finding{Score: 1, Details: map[string]any{"violations": violations, "max_repeats": c.MaxRepeats}}
	if len(violations) > 0 {
		f.Score, f.Explanation = 0, fmt.Sprintf("%s; at most %s allowed", say.Listed(texts, "; "), say.Times(c.MaxRepeats))
	} else {
		f.Explanation = fmt.Sprintf("%s, none more than %s in a row", plural.Count(len(s.Calls), "call"),
			say.Times(c.MaxRepeats))
	}
	return f, nil
}
