package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/scenario"
)

// reportUnusedPrompts reports guardrails and thresholds of prompts with which nobody speaks: neither a state of the
// workflow nor a step nor a scenario, nor a recording that is judged.
func reportUnusedPrompts(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	inWorkflow := p.Workflow != nil && p.Workflow.Graph != nil
	if !inWorkflow && (!p.AllScenarios || len(p.Scenarios) == 0) {
		return // scenarios that were not asked for, or are still to be written, may have the prompt
	}
	spoken := usedPrompts(p, chosen)
	for _, prompt := range p.Prompts {
		if spoken[prompt] {
			continue
		}
		gates := evals.New(prompt.Evals)
		if inWorkflow {
			for _, e := range gates {
				idleGate(d, e, fmt.Sprintf("never fires: no state and no step speaks with its prompt %q", prompt.TaskType),
					"give the prompt to a state")
			}
			gates = nil
		}
		reportIdlePrompt(prompt, gates, inWorkflow, d)
	}
}

// neverFires is the code of problems with what never comes to act.
const neverFires = "never-fires"

// reportIdlePrompt warns of guardrails and thresholds of a prompt with which nobody speaks.
func reportIdlePrompt(prompt *scenario.Prompt, gates evals.Set, inWorkflow bool, d *diag.List) {
	guards := 0
	for i := range prompt.Validators {
		if prompt.Validators[i].Enabled {
			guards++
		}
	}
	gates = slices.DeleteFunc(gates, func(e *evals.Eval) bool { return !e.Gates() })
	var idle []string
	if guards > 0 {
		idle = append(idle, plural.Count(guards, "guardrail"))
	}
	if n := len(gates); n > 0 {
		idle = append(idle, plural.Of(n, "eval with a threshold", "evals with a threshold"))
	}
	if len(idle) == 0 {
		return
	}
	who, hint := "no scenario of the project speaks", "write its task_type into a scenario"
	if inWorkflow {
		who, hint = "no state and no step speaks", "give it to a state"
	}
	d.Warnf(prompt.Pos, 1, neverFires, "%s with the prompt %q, so that nothing tests what is in it: %s", who,
		prompt.TaskType, strings.Join(idle, " and ")).Hint = hint + ", or take the prompt out"
}

// usedPrompts are the prompts with which somebody speaks in the project, whatever of it is run.
func usedPrompts(p *scenario.Project, chosen []*scenario.Scenario) map[*scenario.Prompt]bool {
	spoken := map[*scenario.Prompt]bool{}
	if p.Workflow != nil && p.Workflow.Graph != nil {
		for _, state := range p.Workflow.Graph.States() {
			spoken[p.PromptOf(state)] = true
		}
	} else {
		chosen = slices.Concat(chosen, p.Scenarios)
	}
	for _, c := range p.Compositions {
		for step := range c.All() {
			spoken[p.PromptOfStep(step)] = true
		}
	}
	for _, e := range p.Evals {
		for _, prompt := range p.Prompts {
			spoken[prompt] = spoken[prompt] || e.TaskType == "" || e.TaskType == prompt.TaskType
		}
	}
	for _, s := range chosen {
		prompts, err := inventory.PossiblePrompts(p, s) // matrix.prompt reports the error
		for _, prompt := range prompts {
			spoken[prompt] = true
		}
		for _, prompt := range p.Prompts {
			spoken[prompt] = spoken[prompt] || err != nil // which one was meant is not known
		}
	}
	return spoken
}
