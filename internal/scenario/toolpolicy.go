package scenario

import (
	"strconv"

	"github.com/arena-evals/arena/internal/node"
)

// toolPolicyFields are the limits of the tool loop, on scenarios and prompts.
var toolPolicyFields = table("tool_policy", func() rows[ToolPolicy] {
	return rows[ToolPolicy]{
		custom("tool_choice", text, func(d *decoder, p *ToolPolicy, v *node.Node) {
			if p.Choice, _ = d.Name(v, "tool_choice"); p.ChoosesTool() {
				d.refer(toTool, v)
			}
		}).doc("auto, required, none, or the tool to call."),
		custom("blocklist", texts, func(d *decoder, p *ToolPolicy, v *node.Node) {
			p.Blocklist, _ = d.Strings(v, "blocklist")
			d.referAll(toTool, v)
		}).doc("Tools that are answered with an error instead of being run: those of the prompt and those of the scenario."),
		integer("max_rounds", natural, func(p *ToolPolicy) *int { return &p.MaxRounds }).
			doc("The most rounds of tool calls in a turn; 50 when left out."),
		integer("max_tool_calls_per_turn", natural, func(p *ToolPolicy) *int { return &p.MaxPerTurn }).
			doc("The most calls in a turn. Left out: no limit but max_rounds."),
		integer("max_total_tool_calls", natural, func(p *ToolPolicy) *int { return &p.MaxTotal }).
			doc("The most calls in the conversation. Left out: no limit."),
		num("max_cost_usd", positive, func(p *ToolPolicy) *float64 { return &p.MaxCostUSD }).
			doc("The most that the conversation may cost: the trial is an error where more would be asked of the model. Left " +
				"out: 2, after calls of tools alone."),
		integer("max_identical_tool_calls", natural, func(p *ToolPolicy) *int { return &p.MaxIdentical }).
			doc("At which call of a tool with the same arguments in a turn it is not run any more: with 3, the default, " +
				"two calls are run, the third is refused, and a fourth is an error of the trial."),
	}
})

// zeroLimits are the meanings of a limit of 0, with what to write instead.
var zeroLimits = map[string]struct{ means, instead string }{
	"max_rounds":              {"the default, 50", "for no tool calls write tool_choice: none; else leave the line out"},
	"max_tool_calls_per_turn": {"no limit", "for no tool calls write tool_choice: none; else leave the line out"},
	"max_total_tool_calls":    {"no limit", "for no tool calls write tool_choice: none; else leave the line out"},
	"max_cost_usd": {
		"the default, $2.00", "write an amount that a conversation may cost, such as 0.01, or leave the line out",
	},
	"max_identical_tool_calls": {"the default, 3",
		"for no tool calls write tool_choice: none, for no repeated ones 2; else leave the line out"},
}

// toolPolicy is a field with the limits of the tool loop. It warns of limits of 0, which mean no limit.
func toolPolicy[T any](take func(*T, *ToolPolicy)) *field[T] {
	return custom("tool_policy", toolPolicyFields, func(d *decoder, t *T, v *node.Node) {
		p := new(ToolPolicy)
		if !toolPolicyFields.read(d, v, p) {
			return
		}
		take(t, p)
		if p.Choice == "none" {
			return
		}
		for i := 0; i+1 < len(v.Content); i += 2 {
			name, limit := v.Content[i].Value, v.Content[i+1]
			zero, known := zeroLimits[name]
			f, err := strconv.ParseFloat(limit.Value, 64)
			switch {
			case !known || err != nil:
			case f == 0:
				d.Warnf(limit, "no-limit", "%s: 0 means %s", name, zero.means).Hint = zero.instead
			case f == 1 && name == "max_identical_tool_calls":
				d.Errorf(limit, "no-calls", "%s: 1 refuses even the first call of every tool", name).Hint =
					"for no repeated calls write 2; for no tool calls write tool_choice: none"
			}
		}
	})
}
