package checks

import (
	"context"

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
	Reads:    ReadsNothing,
	Clean:    Bans,
})

type toolNoRepeat struct {
	Tools      nameFilter `param:"tools" is:"tool" doc:"Look only at these tools; at all when left out."`
	MaxRepeats int        `param:"max_repeats" default:"1" min:"1" doc:"Calls in a row that are allowed."`
}

func (c *toolNoRepeat) Eval(_ context.Context, s *Subject) (Finding, error) {
	var found violationList
	for at := 0; at < len(s.Calls); {
		name, n := s.Calls[at].Name, 1
		for at+n < len(s.Calls) && s.Calls[at+n].Name == name {
			n++
		}
		if n > c.MaxRepeats && c.Tools.keeps(name) {
			found.add(say.Named(name)+" was called "+say.Times(n)+" in a row"+inTurn(s, s.Calls[at].Turn),
				Details{"tool": name, "consecutive": n, "at": at})
		}
		at += n
	}
	most := say.Times(c.MaxRepeats)
	f := found.finding(plural.Count(len(s.Calls), "call")+", none more than "+most+" in a row", "")
	if f.Score == 0 {
		f.Explanation += "; at most " + most + " allowed"
	}
	f.Details["max_repeats"] = c.MaxRepeats
	return f, nil
}
