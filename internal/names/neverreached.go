package names

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/workflow"
)

// neverThere is the code of warnings about checks of things that no trial can reach.
const neverThere = "never-reached"

// reach is what the trials of the compared checks can reach; nil without a workflow.
func (n *Checker) reach(setups []*setup) *reach {
	if anyRecorded(setups) {
		return nil
	}
	if n.reaches == nil {
		n.reaches = map[*scenario.Scenario]*reach{}
	}
	r, known := n.reaches[n.within]
	if !known {
		r = newReach(n.Project, n.within)
		n.reaches[n.within] = r
	}
	return r
}

// checkReach warns of a check that is decided before the run: it asks for a state to which no trial can come, or for a
// skill that can be active nowhere.
func (n *Checker) checkReach(c *checks.Compiled, names []checks.NameUse, setups []*setup) {
	r := n.reach(setups)
	if r == nil {
		n.checkSkills(c, names, nil)
		return
	}
	n.checkSkills(c, names, r.states())
	n.checkRun(c, names, r.states())
	before := r.starts() // the states from which the sequence continues
	for i := range names {
		use := &names[i]
		state := n.Project.Workflow.Graph.State(use.Name)
		if use.Kind != checks.StateName || state == nil { // an unknown one is reported
			continue
		}
		moved := slices.ContainsFunc(before, func(s *workflow.State) bool { return r.from(s)[state.Name] })
		switch {
		case c.Def.Name == "workflow_transition_order":
			if !moved {
				n.never(c, use, "no transition can lead to the state %q%s", state.Name, behind(names[:i]))
				return
			}
			before = []*workflow.State{state}
		case c.Def.Name == "workflow_transitioned_to" && !moved:
			n.never(c, use, "no transition can lead to the state %q%s", state.Name, n.inScenario())
		case !slices.Contains(r.states(), state):
			n.never(c, use, "no trial can come to the state %q%s", state.Name, n.inScenario())
		}
	}
	if c.Def.Name == "workflow_complete" && !slices.ContainsFunc(r.states(), (*workflow.State).Ends) {
		n.Diags.Warnf(c.Pos, diag.Width(c.Type), neverThere,
			"%s: no trial can come to a state that is terminal%s, so this is decided before the run", c.Type, n.inScenario()).
			Hint = "take the check out, or mark the states as terminal in which the work is done"
	}
}

// checkRun warns of a check of a step that no reachable state runs.
func (n *Checker) checkRun(c *checks.Compiled, names []checks.NameUse, in []*workflow.State) {
	for i := range names {
		use := &names[i]
		declared, run := false, false
		for _, co := range n.Project.Compositions {
			if co.Step(use.Name) == nil {
				continue
			}
			declared = true
			run = run || slices.ContainsFunc(in, func(s *workflow.State) bool {
				return s.Mode == workflow.Composed && s.Composition == co.Name
			})
		}
		if use.Kind == checks.StepName && declared && !run {
			n.never(c, use, "no trial can come to a state that runs the step %q%s", use.Name, n.inScenario())
			return
		}
	}
}

func (n *Checker) never(c *checks.Compiled, use *checks.NameUse, format string, args ...any) {
	n.Diags.Warnf(use.Pos, diag.Width(use.Name), neverThere, "%s: %s: "+format+", so this is decided before the run",
		append([]any{c.Type, use.Param}, args...)...).Hint = "arena list workflow shows which events lead where"
}

// inScenario names the scenario of the compared checks.
func (n *Checker) inScenario() string {
	if n.within == nil {
		return ""
	}
	return " in the scenario " + strings.TrimSpace(n.within.ID)
}

// behind names the previous state in a sequence.
func behind(names []checks.NameUse) string {
	if len(names) == 0 {
		return " from the start"
	}
	return " from " + names[len(names)-1].Name
}

// checkSkills warns of checks of skills that no state allows, and of those that are active without being activated.
func (n *Checker) checkSkills(c *checks.Compiled, names []checks.NameUse, in []*workflow.State) {
	if n.Project.Skills == nil {
		return
	}
	for i := range names {
		use := &names[i]
		at := slices.IndexFunc(n.Project.Skills.All(), func(s *skill.Skill) bool { return s.Name == use.Name })
		if use.Kind != checks.SkillName || at < 0 {
			continue
		}
		one := n.Project.Skills.All()[at]
		allows := func(s *workflow.State) bool {
			f, err := skill.NewFilter(s.Skills)
			return err != nil || f.Allows(one)
		}
		switch {
		case in != nil && !slices.ContainsFunc(in, allows):
			n.never(c, use, "no state to which a trial can come allows the skill %q%s", one.Name, n.inScenario())
		case one.Preload:
			n.Diags.Warnf(use.Pos, diag.Width(use.Name), "preloaded",
				"%s: %s: the skill %q is preloaded: it is active without a call, and this looks only at calls", c.Type,
				use.Param, one.Name).Hint = "take the check out, or preload: true"
		}
	}
}
