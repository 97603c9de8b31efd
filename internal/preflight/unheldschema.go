package preflight

import (
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// UnheldSchemas warns of scenarios whose models are asked for replies of a schema, where no check looks at the
// form of a reply: a model that does not keep to it passes.
func UnheldSchemas(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	if len(p.Compositions) > 0 { // whose steps hold their replies to it
		return
	}
	for _, s := range chosen {
		prompts, err := p.PromptsFor(s)
		if err != nil || s.Skip != "" || s.Recorded != nil {
			continue
		}
		whose := ""
		switch {
		case s.OutputSchema != nil:
			whose = "the scenario"
		case slices.ContainsFunc(prompts, func(prompt *scenario.Prompt) bool {
			return prompt != nil &&
				prompt.OutputSchema != nil
		}):
			whose = "its prompt"
		default:
			continue
		}
		held := false
		look := func(c *checks.Compiled) { held = held || c.AsksForm() }
		one := []*scenario.Scenario{s}
		inventory.EachAssertion(p, one, look)
		for _, e := range inventory.UsedEvals(p, one) {
			if e.Gates() {
				inventory.EachCompiled(e.Compiled, look)
			}
		}
		if !held {
			d.Warnf(s.Pos, diag.Width(s.ID), "unheld-schema",
				"scenario %q: models are asked for replies that fit the output_schema of %s, and no check looks whether they do",
				s.ID, whose).Hint = "add a check with type: json_schema"
		}
	}
}
