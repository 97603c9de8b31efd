package checks

import (
	"context"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/say"
)

var spokeInStateDef = define[spokeInStateParams](Def{
	Name:     "spoke_in_state",
	Aliases:  []string{"workflow_spoke_in_state"},
	Summary:  "The agent said something in a state of the workflow.",
	Scoring:  "1 when a reply that is not blank was written in the state, else 0.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsWorkflow,
	About:    WorkflowPart,
})

type spokeInStateParams struct {
	State string `param:"state,required" is:"state" doc:"Name of the state."`
}

func (p spokeInStateParams) Build(*binder) Check { return spokeInState(p.State) }

type spokeInState string

func (c spokeInState) Eval(_ context.Context, s *Subject) (Finding, error) {
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
	f := Finding{Details: map[string]any{"expected": string(c), "spoke_in": atLeastEmpty(spoken)}}
	switch {
	case seen[string(c)]:
		f.Score, f.Explanation = 1, "spoke in state "+string(c)
	case !stamped:
		f.Explanation = "no reply says in which state it was written"
	case len(spoken) == 0:
		f.Explanation = "did not speak in state " + string(c) + " nor in any other"
	default:
		f.Explanation = "did not speak in state " + string(c) + ", only in " + say.Chained(spoken)
	}
	return f, nil
}
