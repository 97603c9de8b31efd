package checks

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/workflow"
)

var workflowToolAccessDef = define[workflowToolAccessParams](Def{
	Name:     "workflow_tool_access",
	Summary:  "In the whole conversation the states of the workflow call only the tools that they are allowed.",
	Scoring:  "0 when a call in a state with a rule is not of a tool that the rule allows, else 1.",
	Family:   FamilyWorkflow,
	Surfaces: OnAssertion | OnEval,
	Scope:    WholeAlways,
	Needs:    NeedsCalls | NeedsWorkflow,
	Reads:    ReadsNothing,
	About:    WorkflowPart,
})

type workflowToolAccessParams struct {
	Rules []accessRule `param:"rules,required" doc:"What states may call; a state without a rule may call anything."`
}

type accessRule struct {
	State   string     `param:"state,required" is:"state" doc:"Name of the state."`
	Allowed nameFilter `param:"allowed,required" is:"tool" doc:"Tools that may be called in it; an empty list forbids all. workflow__transition may always be called."`
}

func (p workflowToolAccessParams) Build(b *binder) Check {
	c := make(workflowToolAccess, len(p.Rules))
	for i, rule := range p.Rules {
		if _, twice := c[rule.State]; twice {
			at := b.read["rules"]
			if at.Kind == node.List {
				at = at.Content[i]
			}
			b.r.Errorf(at, "duplicate-rule", "%s: rules[%d] is a second rule for state %q", b.name, i, rule.State).Hint =
				"put all its tools into one rule"
		}
		c[rule.State] = rule.Allowed
	}
	return c
}

// workflowToolAccess maps states to the tools that they may call.
type workflowToolAccess map[string][]string

func (c workflowToolAccess) Eval(_ context.Context, s *Subject) (Finding, error) {
	w := s.Workflow
	if w == nil {
		return Finding{}, errNoWorkflow
	}
	var found violationList
	ruled := 0
	for i := range s.Calls {
		call := &s.Calls[i]
		state := call.State
		if state == "" {
			state = w.stateAt(call.Turn)
		}
		allowed, hasRule := c[state]
		// the workflow itself limits its transitions
		if !hasRule || call.State != "" && call.Name == workflow.TransitionTool {
			continue
		}
		ruled++
		if !slices.Contains(allowed, call.Name) {
			found.add(state+" called "+say.Named(call.Name)+inTurn(s, call.Turn),
				Details{"state": state, "tool": call.Name, "turn": call.Turn})
		}
	}
	f := found.finding(plural.Count(ruled, "call")+" in states with a rule, all allowed", "not allowed: ")
	f.Details["calls"], f.Details["calls_in_ruled_states"] = len(s.Calls), ruled
	return f, nil
}

// stateAt returns the state after the last transition in or before a turn. A transition without a known turn counts as
// made with the one before it.
func (w *Workflow) stateAt(turn int) string {
	if len(w.Transitions) == 0 {
		return w.Current
	}
	state, made := w.Transitions[0].From, -1
	for i := range w.Transitions {
		t := &w.Transitions[i]
		made = max(made, t.Turn)
		if made > turn {
			break
		}
		state = t.To
	}
	return state
}
