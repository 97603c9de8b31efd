package inventory

import (
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/scenario"
)

// EvalSets returns the evals of each prompt of the chosen scenarios. The key nil is for scenarios without a prompt.
func EvalSets(p *scenario.Project, chosen []*scenario.Scenario) map[*scenario.Prompt]evals.Set {
	sets := map[*scenario.Prompt]evals.Set{}
	for prompt := range ChosenPrompts(p, chosen) {
		if _, known := sets[prompt]; !known {
			sets[prompt] = evals.New(p.EvalsFor(prompt))
		}
	}
	return sets
}

// EachEval visits the checks of the evals under the prompts of the chosen scenarios.
func EachEval(p *scenario.Project, chosen []*scenario.Scenario, visit func(*checks.Compiled)) {
	for _, e := range UsedEvals(p, chosen) {
		EachCompiled(e.Compiled, visit)
	}
}

// EvalsOff returns the ids of the evals of a project that are disabled.
func EvalsOff(p *scenario.Project) []string {
	var ids []string
	for _, prompt := range append([]*scenario.Prompt{nil}, p.Prompts...) {
		for _, def := range p.EvalsFor(prompt) {
			if !def.Enabled && !slices.Contains(ids, def.ID) {
				ids = append(ids, def.ID)
			}
		}
	}
	return ids
}

// HasGate reports whether an eval can make the scenario fail.
func HasGate(p *scenario.Project, s *scenario.Scenario) bool {
	set := UsedEvals(p, []*scenario.Scenario{s})
	return slices.ContainsFunc(set, func(e *evals.Eval) bool { return e.Gates() && CanFire(p, e) })
}

// HasMeasures reports whether an eval can run in the scenario.
func HasMeasures(p *scenario.Project, s *scenario.Scenario) bool {
	set := UsedEvals(p, []*scenario.Scenario{s})
	return slices.ContainsFunc(set, func(e *evals.Eval) bool { return CanFire(p, e) })
}

// CanFire reports whether the trigger of an eval can occur: steps need a workflow.
func CanFire(p *scenario.Project, e *evals.Eval) bool {
	return evals.PhaseOf(e.Trigger) != evals.AfterStep || p.HasWorkflow()
}

// UsedEvals returns the evals of all prompts of the chosen scenarios, each once, in the order of the project.
func UsedEvals(p *scenario.Project, chosen []*scenario.Scenario) evals.Set {
	sets := EvalSets(p, chosen)
	var used evals.Set
	seen := map[*evals.Definition]bool{}
	for _, prompt := range append([]*scenario.Prompt{nil}, p.Prompts...) {
		for _, e := range sets[prompt] {
			if !seen[e.Definition] {
				seen[e.Definition] = true
				used = append(used, e)
			}
		}
	}
	return used
}
