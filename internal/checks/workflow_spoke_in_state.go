package checks

import (
	"context"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/say"
)

var spokeInStateDef = plain[spokeInState](Def{
	Name:     "spoke_in_state",
	Aliases:  []string{"workflow_spoke_in_state"},
	Summary:  "The agent said something in a state of the workflow.",
	Scoring:  "1 when a reply that is not blank was written in the state, else 0.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsWorkflow,
	Wordless: true,
	Reads:    ReadsNothing,
	About:    WorkflowPart,
})

type spokeInState struct {
	State string `param:"state,required" is:"state" doc:"Name of the state."`
}

func (c *spokeInState) Eval(_ context.Context, s *Subject) (Finding, error) {
	var spoken []string // states, each once
	stamped := false
	seen := map[string]bool{}
	for i := s.Start; i < len(s.Messages); i++ {
		m := &s.Messages[i]
		if m.Role != chat.Assistant || m.State == "" {
			continue
		}
		stamped = true
		if strings.TrimSpace(m.Text()) != "" && !seen[m.State] {
			seen[m.State] = true
			spoken = append(spoken, m.State)
		}
	}
	if !stamped && s.Workflow == nil {
		return Finding{}, errNoWorkflow
	}
	f := Finding{Details: Details{"expected": c.State, "spoke_in": atLeastEmpty(spoken)}}
	switch {
	case seen[c.State]:
		f.Score, f.Explanation = 1, "spoke in state "+c.State
	case !stamped:
		f.Explanation = "no reply says in which state it was written"
	case len(spoken) == 0:
		f.Explanation = "did not speak in state " + c.State + " nor in any other"
	default:
		f.Explanation = "did not speak in state " + c.State + ", only in " + say.Chained(spoken)
	}
	return f, nil
}
