package preflight

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
)

// RaisedLimits warns of limits of a prompt that a scenario sets higher: the scenario's count, and what passes there the
// agent would not be allowed elsewhere.
func RaisedLimits(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	for _, s := range chosen {
		prompts, err := inventory.PossiblePrompts(p, s)
		if err != nil || s.Skip != "" || s.Recorded != nil || s.ToolPolicy == nil {
			continue
		}
		told := map[*scenario.Prompt]bool{}
		for _, prompt := range prompts {
			if prompt == nil || prompt.ToolPolicy == nil || told[prompt] {
				continue
			}
			told[prompt] = true
			if lifted := liftedLimits(s.ToolPolicy, prompt.ToolPolicy); len(lifted) > 0 {
				d.Warnf(s.Pos, diag.Width(s.ID), "lifted-limit",
					"the tool_policy of the scenario %q allows more than that of its prompt %q: %s", s.ID, prompt.TaskType,
					strings.Join(lifted, ", ")).Hint = "take the limits out of the scenario to test the agent with its own"
			}
		}
	}
}

// liftedLimits are the limits of a prompt that a scenario lifts, each with both values.
func liftedLimits(s, prompt *scenario.ToolPolicy) (lifted []string) {
	add := func(name string, of, than float64, unit string) {
		if of > than && than > 0 {
			lifted = append(lifted, fmt.Sprintf("%s %s%s instead of %s%s", name, unit, say.Decimal(of), unit, say.Decimal(than)))
		}
	}
	add("max_rounds", float64(s.MaxRounds), float64(prompt.MaxRounds), "")
	add("max_tool_calls_per_turn", float64(s.MaxPerTurn), float64(prompt.MaxPerTurn), "")
	add("max_total_tool_calls", float64(s.MaxTotal), float64(prompt.MaxTotal), "")
	add("max_identical_tool_calls", float64(s.MaxIdentical), float64(prompt.MaxIdentical), "")
	add("max_cost_usd", s.MaxCostUSD, prompt.MaxCostUSD, "$")
	if prompt.Choice == "none" && s.Choice != "" && s.Choice != "none" {
		lifted = append(lifted, "tool_choice "+s.Choice+" instead of none")
	}
	return lifted
}
