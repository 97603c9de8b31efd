package names

import (
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools/own"
	"github.com/arena-evals/arena/internal/workflow"
)

// reach is the part of a workflow that trials can reach: those of one scenario, or without one all.
type reach struct {
	p  *scenario.Project
	s  *scenario.Scenario // nil: all
	at map[*workflow.State]map[string]bool
}

// newReach returns the reach of a scenario's trials; nil when none of them has a state machine.
func newReach(p *scenario.Project, s *scenario.Scenario) *reach {
	if p.Workflow == nil || p.Workflow.Graph == nil {
		return nil
	}
	if s != nil {
		if start, err := p.Start(s); start == nil || err != nil || s.Skip != "" {
			return nil
		}
	}
	return &reach{p, s, map[*workflow.State]map[string]bool{}}
}

// starts are the initial states of trials.
func (r *reach) starts() []*workflow.State {
	if r.s == nil {
		return r.p.Workflow.States // others than those that are known may begin anywhere
	}
	start, _ := r.p.Start(r.s)
	return []*workflow.State{start}
}

// from are the states to which transitions can lead from one.
func (r *reach) from(state *workflow.State) map[string]bool {
	if r.at[state] == nil {
		r.at[state] = r.p.Workflow.Graph.Entered(state, func(s *workflow.State) bool { return r.stuck(s) == "" })
	}
	return r.at[state]
}

// enters reports whether a transition can lead to a state.
func (r *reach) enters(state string) bool {
	return slices.ContainsFunc(r.starts(), func(s *workflow.State) bool { return r.from(s)[state] })
}

// states are the reachable states, in the order of the file.
func (r *reach) states() (list []*workflow.State) {
	starts := r.starts()
	for _, s := range r.p.Workflow.States {
		if slices.Contains(starts, s) || r.enters(s.Name) {
			list = append(list, s)
		}
	}
	return list
}

// stuck says why a trial cannot leave a state; "": it can.
func (r *reach) stuck(state *workflow.State) string {
	if state.Mode == workflow.Composed {
		return r.stuckSteps(state)
	}
	return r.forbidden(r.p.PromptOf(state), nil, "")
}

// stuckSteps is stuck for a state with a composition, whose steps send the events.
func (r *reach) stuckSteps(state *workflow.State) string {
	c := r.p.Composition(state.Composition)
	if c == nil {
		return "" // reported elsewhere
	}
	why := fmt.Sprintf("no step of the composition %q can call %s", c.Name, workflow.TransitionTool)
	for spec := range c.All() {
		sends := spec.Kind == composition.Tool || spec.Kind == composition.Agent
		if !sends || !own.StepMayCall(spec, c.Within(spec), workflow.TransitionTool) {
			continue
		}
		if why = r.forbidden(r.p.PromptOfStep(spec), r.p.PromptOf(state), spec.Kind); why == "" {
			return ""
		}
	}
	return why
}

// forbidden says why an agent with a prompt may not call the transition tool; "": it may. The prompt of the state
// applies to a step too. Tool steps call only their own tool.
func (r *reach) forbidden(prompt, state *scenario.Prompt, kind composition.Kind) string {
	s := r.s
	if s == nil {
		s = &scenario.Scenario{}
	}
	policy := s.PolicyUnder(prompt, state)
	whose := func(of func(*scenario.ToolPolicy) bool) string {
		if s.ToolPolicy != nil && of(s.ToolPolicy) {
			return fmt.Sprintf("tool_policy of the scenario %q", s.ID)
		}
		its := prompt
		if prompt == nil || prompt.ToolPolicy == nil || !of(prompt.ToolPolicy) {
			its = state
		}
		return fmt.Sprintf("tool_policy of the prompt %q", its.TaskType)
	}
	switch {
	case slices.Contains(policy.Blocklist, workflow.TransitionTool):
		return fmt.Sprintf("the %s blocks %s",
			whose(func(p *scenario.ToolPolicy) bool { return slices.Contains(p.Blocklist, workflow.TransitionTool) }),
			workflow.TransitionTool)
	case policy.Choice == "none" && kind != composition.Tool:
		return fmt.Sprintf("the %s has tool_choice none",
			whose(func(p *scenario.ToolPolicy) bool { return p.Choice == "none" }))
	}
	return ""
}

// reportStuck warns of states that trials come to and that they can never leave, although events lead on.
func (u *toolUses) reportStuck(chosen []*scenario.Scenario) {
	told := map[string]bool{}
	for _, s := range chosen {
		r := newReach(u.p, s)
		if r == nil {
			continue
		}
		for _, state := range r.states() {
			why := ""
			if !state.Ends() && state.Mode != workflow.External {
				why = r.stuck(state)
			}
			if text := fmt.Sprintf("state %q: nobody can send its events: %s", state.Name, why); why != "" && !told[text] {
				told[text] = true
				u.diags.Warnf(u.p.Workflow.At(state.Name), diag.Width(state.Name), "stuck-state", "%s", text).Hint =
					"let " + workflow.TransitionTool + " be called there, or mark the state as terminal and take its on_event out"
			}
		}
	}
}
