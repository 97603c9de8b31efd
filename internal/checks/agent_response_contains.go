package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
)

var agentResponseContainsDef = plain[agentResponseContains](Def{
	Name:     "agent_response_contains",
	Summary:  "Some answer of an agent contains every pattern; case matters.",
	Scoring:  "1 when one answer has every pattern, else 0.",
	Family:   FamilyAgents,
	Surfaces: OnEval,
	Needs:    NeedsCalls,
	Weighs:   CallResults,
})

type agentResponseContains struct {
	AgentName string   `param:"agent_name,required" alias:"agent" is:"agent" doc:"The agent, by the name under which it is called."`
	Patterns  []string `param:"patterns,required" alias:"contains" is:"text" all:"to ban each of them write a check for each" doc:"Texts that must all be in the same answer."`
}

func (*agentResponseContains) boundsRedacted() {}

func (c *agentResponseContains) Eval(_ context.Context, s *Subject) (Finding, error) {
	answers := c.answers(s)
	f := Finding{Details: Details{"agent": c.AgentName, "responses": len(answers)}}
	if len(answers) == 0 {
		f.Explanation = c.AgentName + " gave no answer"
		f.Details["called_tools"] = callNames(s.Calls)
		return f, nil
	}
	var lacking []string // patterns that the last answer lacks
	for _, answer := range answers {
		text := newToolText(answer, s.masking)
		if text.cut {
			f.doubt = behindCut(s, 0)
		}
		if lacking = c.lacking(text); len(lacking) == 0 {
			f.doubt, f.Score, f.Explanation = nil, 1, "an answer of "+c.AgentName+" has "+say.Quoted(c.Patterns)
			return f, nil
		}
	}
	f.Explanation = c.AgentName + " gave " + plural.Count(len(answers), "answer") + ", none with " + say.Quoted(c.Patterns)
	if len(c.Patterns) > 1 {
		f.Explanation += "; the last one lacks " + say.Quoted(lacking)
	}
	f.Details["missing_patterns"] = lacking
	f.Details["actual"] = say.Content(answers[len(answers)-1])
	return f, nil
}

// answers returns the results of the agent's calls, and the texts of its tool messages that differ from them.
func (c *agentResponseContains) answers(s *Subject) (texts []string) {
	seen := map[string]bool{"": true}
	add := func(text string) {
		if !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	for i := range s.Calls {
		if call := &s.Calls[i]; isAgent(c.AgentName, call.Name, call.Agent) {
			add(call.Text())
		}
	}
	for i := s.Start; i < len(s.Messages); i++ {
		if r := s.Messages[i].ToolResult; r != nil && isAgent(c.AgentName, r.Name, r.Agent) {
			add(r.Text())
		}
	}
	return texts
}

func (c *agentResponseContains) lacking(answer *toolText) (patterns []string) {
	for _, p := range c.Patterns {
		if !answer.contains(p) {
			patterns = append(patterns, p)
		}
	}
	return patterns
}
