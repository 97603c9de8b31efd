package checks

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/say"
)

var toolsNotCalledDef = plain[toolsNotCalled](Def{
	Name:         "tools_not_called",
	Aliases:      []string{"tool_not_called"},
	SessionNames: []string{"tools_not_called_session"},
	Summary:      "None of the named tools was called, not even without success.",
	Scoring:      "1 when none of the tools was called, else 0.",
	Family:       FamilyTools,
	Surfaces:     Everywhere,
	Needs:        NeedsCalls,
	Reads:        ReadsNothing,
	Clean:        Bans,
	Opposite:     "to ask for the calls use tools_called",
})

type toolsNotCalled struct {
	ToolNames []string `param:"tool_names,required" alias:"tools,tool_name,name" is:"tool" doc:"Tools that must not be called."`
}

func (c *toolsNotCalled) Eval(_ context.Context, s *Subject) (Finding, error) {
	forbidden := []string{}
	var seen []string
	for _, name := range callNames(s.Calls) {
		if !slices.Contains(c.ToolNames, name) {
			continue
		}
		forbidden = append(forbidden, name)
		seen = append(seen, name+" "+callTimes(s, func(c *Call) bool { return c.Name == name }))
	}
	f := Finding{Score: 1, Explanation: "not called: " + say.Listed(c.ToolNames, ", ")}
	if len(forbidden) > 0 {
		f.Score, f.Explanation = 0, "called: "+say.Listed(seen, "; ")
	}
	f.Details = Details{"forbidden_tools_called": forbidden, "all_called_tools": callNames(s.Calls)}
	return f, nil
}

// callTimes says how often something was called and, in a conversation, where it was called first.
func callTimes(s *Subject, is func(*Call) bool) string {
	n, first := 0, 0
	for i := range s.Calls {
		if !is(&s.Calls[i]) {
			continue
		}
		if n == 0 {
			first = s.Calls[i].Turn
		}
		n++
	}
	where := inTurn(s, first)
	if where != "" && n > 1 {
		where = ", first" + where
	}
	return say.Times(n) + where
}
