package checks

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
)

var agentInvokedDef = plain[agentInvoked](Def{
	Name:     "agent_invoked",
	Summary:  "Every named agent was called, be it without success; agents are called as tools.",
	Scoring:  "Named agents that were called / named agents.",
	Family:   FamilyAgents,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsCalls,
	Reads:    ReadsNothing,
	Shares:   true,
})

type agentInvoked struct {
	AgentNames []string `param:"agent_names,required" alias:"agents" is:"agent" all:"to ban each of them use agent_not_invoked without the not" doc:"Names of agents, in any order."`
}

func (c *agentInvoked) Eval(_ context.Context, s *Subject) (Finding, error) {
	invoked, missing := []string{}, []string{}
	for _, name := range c.AgentNames {
		if wasAsked(s.Calls, name) {
			invoked = append(invoked, name)
		} else {
			missing = append(missing, name)
		}
	}
	f := Finding{
		Score:       textmeasure.Share(len(invoked), len(c.AgentNames)),
		Explanation: "called: " + say.Listed(invoked, ", "),
	}
	if len(missing) > 0 {
		f.Explanation = "not called: " + say.Listed(missing, ", ")
	}
	f.Details = Details{"invoked": invoked, "missing_agents": missing, "called_tools": callNames(s.Calls)}
	return f, nil
}

// wasAsked reports whether an agent was called, successfully or not.
func wasAsked(calls []Call, agent string) bool {
	return slices.ContainsFunc(calls, func(c Call) bool { return isAgent(agent, c.Name, c.Agent) })
}

// isAgent reports whether a call goes to an agent. The agent may be given by its name in the config, by the name on its
// card, or by the name of its tool. of is the agent that the tool calls, if known.
func isAgent(agent, tool, of string) bool {
	return agent == tool || agent == of || a2a.Asks(tool, agent)
}
