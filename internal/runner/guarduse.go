package runner

import (
	"slices"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// ReportGuardrailUses reports checks that name a guardrail which the project does not have: it never fires, so the
// check says nothing. A known check that is no guardrail of the project is only a warning.
func ReportGuardrailUses(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	names, off := guardrailNames(p, chosen), evalsOff(p)
	eachCheck(p, chosen, func(c *checks.Compiled) {
		for _, use := range c.GuardrailUses() {
			reportGuardrail(c.Type, &use, names, off, d)
		}
	})
}

// expectGuardrails waits for guardrails that checks of recorded conversations name and the project does not have: the
// recorded agent may have had others.
func (m *matrix) expectGuardrails(p *scenario.Project, judged []*scenario.Scenario) {
	names := guardrailNames(p, judged)
	eachAssertion(p, judged, func(c *checks.Compiled) {
		for _, use := range c.GuardrailUses() {
			if !use.Known() && !slices.ContainsFunc(names, use.Means) {
				m.tracker.awaitGuardrail(c.Type, &use)
			}
		}
	})
}

// guardrailNames returns the types of the project's guardrails, and the ids and types of its evals.
func guardrailNames(p *scenario.Project, chosen []*scenario.Scenario) []string {
	var names []string
	for _, prompt := range p.Prompts {
		for _, v := range prompt.Validators {
			if check, ok := sample(v.Compiled).(*checks.Compiled); ok && v.Enabled {
				names = append(names, check.Type)
			}
		}
	}
	for _, e := range usedEvals(p, chosen) {
		names = append(names, e.ID, e.Type)
	}
	return names
}

func reportGuardrail(check string, use *checks.GuardrailUse, names, off []string, d *diag.List) {
	if slices.ContainsFunc(names, use.Means) {
		return
	}
	width := utf8.RuneCountInString(use.Name)
	if slices.Contains(off, use.Name) {
		d.Errorf(use.Pos, width, "unknown-guardrail", "%s: the eval %q is switched off, so it never fires", check,
			use.Name).Hint = "by enabled: false in its definition, or by --eval-groups, --eval-types or --skip-evals"
		return
	}
	if use.Known() {
		d.Warnf(use.Pos, width, "unknown-guardrail", "%s: %s is no guardrail of this project, so it never fires", check,
			use.Name).Hint = "list it under validators of the prompt"
		return
	}
	problem := d.Errorf(use.Pos, width, "unknown-guardrail", "%s: there is no guardrail %q", check, use.Name)
	problem.Hint = "guardrails are listed under validators of a prompt; this project has none"
	if len(names) > 0 {
		problem.Hint = hintKnown(use.Name, names)
	}
}
