package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/say"
)

var agentNotInvokedDef = plain[agentNotInvoked](Def{
	Name:     "agent_not_invoked",
	Summary:  "None of the named agents was called, not even without success; agents are called as tools.",
	Scoring:  "1 when none of the agents was called, else 0.",
	Family:   FamilyAgents,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Reads:    ReadsNothing,
	Clean:    Bans,
	Opposite: "to ask for the calls use agent_invoked",
})

type agentNotInvoked struct {
	AgentNames []string `param:"agent_names,required" alias:"agents" is:"agent" doc:"Agents that must not be called."`
}

func (c *agentNotInvoked) Eval(_ context.Context, s *Subject) (Finding, error) {
	forbidden := []string{}
	var seen []string
	for _, name := range c.AgentNames {
		if wasAsked(s.Calls, name) {
			forbidden = append(forbidden, name)
			seen = append(seen, name+" "+callTimes(s, func(c *Call) bool { return isAgent(name, c.Name, c.Agent) }))
		}
	}
	f := Finding{Score: 1, Explanation: "not called: " + say.Listed(c.AgentNames, ", ")}
	if len(forbidden) > 0 {
		f.Score, f.Explanation = 0, "called: "+say.Listed(seen, "; ")
	}
	f.Details = Details{"forbidden_agents_called": forbidden, "called_tools": callNames(s.Calls)}
	return f, nil
}
