package preflight

import (
	"cmp"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// Guardrails reports checks that name a guardrail which the project does not have: it never fires, so the
// check says nothing. A known check that is no guardrail of the project is only a warning.
func Guardrails(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	names, off := GuardrailNames(p, chosen), inventory.EvalsOff(p)
	inventory.EachCheck(p, chosen, func(c *checks.Compiled) {
		for _, use := range c.GuardrailUses() {
			if use.Name != "" {
				reportGuardrail(&use, names, off, d)
			}
		}
	})
	inventory.EachAssertion(p, chosen, func(c *checks.Compiled) {
		for _, use := range c.GuardrailUses() {
			if use.Name == "" || slices.ContainsFunc(names, use.Means) {
				reportDirection(p, chosen, &use, d)
			}
		}
	})
	told := map[diag.Pos]bool{}
	for prompt := range inventory.ChosenPrompts(p, chosen) {
		reportUnenforced(prompt, told, d)
	}
	for _, s := range chosen {
		reportElsewhere(p, s, names, d)
		reportTwins(p, s, told, d)
		reportLateEvals(p, s, d)
	}
	reportEvalsElsewhere(p, chosen, names, d)
}

// reportUnenforced warns of guardrails that are to refuse what they find, and whose check only records it.
func reportUnenforced(prompt *scenario.Prompt, told map[diag.Pos]bool, d *diag.List) {
	if prompt == nil {
		return
	}
	for _, v := range prompt.Validators {
		c, ok := inventory.Sample(v.Compiled).(*checks.Compiled)
		if !ok || v.EnforcedAt == (diag.Pos{}) || !v.Enabled || c.Message != "" || c.Effect() != checks.Records ||
			told[v.EnforcedAt] {
			continue // with a message it is told where the check is
		}
		told[v.EnforcedAt] = true
		d.Warnf(v.EnforcedAt, len("true"), "records-only", "%s: as a guardrail this check only records that it fired, and "+
			"the reply is said all the same", c.Type).Hint = "content_excludes, safety checks and judges replace the reply, " +
			"max_length cuts it; what must not be said is banned by an assertion too"
	}
}

// eachOwnCheck calls f with each check that stands in a scenario itself.
func eachOwnCheck(s *scenario.Scenario, f func(*checks.Compiled)) {
	for _, c := range s.Conversation {
		inventory.EachCompiled(c.Compiled, f)
	}
	for i := range s.Turns {
		for _, c := range s.Turns[i].Assertions {
			inventory.EachCompiled(c.Compiled, f)
		}
	}
}

// reportElsewhere warns of checks of a scenario that name a guardrail which other prompts have and its own does not.
func reportElsewhere(p *scenario.Project, s *scenario.Scenario, names []string, d *diag.List) {
	prompts, err := inventory.PossiblePrompts(p, s)
	if err != nil || s.Skip != "" || s.Recorded != nil || len(prompts) == 0 {
		return
	}
	own := guardrailsOf(prompts)
	for _, e := range inventory.UsedEvals(p, []*scenario.Scenario{s}) {
		own = append(own, e.ID, e.Type)
	}
	eachOwnCheck(s, func(c *checks.Compiled) {
		for _, use := range c.GuardrailUses() {
			if use.Name != "" && slices.ContainsFunc(names, use.Means) && !slices.ContainsFunc(own, use.Means) {
				why, hint := "is a guardrail of another prompt than that", "list it under validators of the prompt"
				if slices.ContainsFunc(switchedOff(prompts), use.Means) {
					why, hint = "is switched off in the prompt", "take enabled: false out"
				}
				d.Warnf(use.Pos, use.Width, "unknown-guardrail", "%s: %s %s of scenario %q, so it never fires here",
					use.Type, use.Name, why, s.ID).Hint = hint
			}
		}
	})
}

// reportDirection warns of a check whose guardrails are there, but look at other messages than it does, and of one that
// waits for any guardrail where there is none. An eval of the same name is enough, but it has no direction.
func reportDirection(p *scenario.Project, chosen []*scenario.Scenario, use *checks.GuardrailUse, d *diag.List) {
	there := false
	for _, prompt := range p.Prompts {
		for _, v := range prompt.Validators {
			c, ok := inventory.Sample(v.Compiled).(*checks.Compiled)
			if !ok || !v.Enabled || !use.Means(c.Type) {
				continue
			}
			there = true
			looksAt := cmp.Or(v.Direction, "output")
			if looksAt == "both" || use.Direction() == "both" || looksAt == use.Direction() {
				return
			}
		}
	}
	isEval := false
	for _, e := range inventory.UsedEvals(p, chosen) {
		isEval = isEval || use.Name != "" && (e.ID == use.Name || use.Means(e.Type))
	}
	switch {
	case isEval && use.Direction() != "both" && !there:
		d.Warnf(use.Pos, use.Width, "unknown-guardrail",
			"%s: %s is an eval, and has no direction, so it never fires on the %s", use.Type, use.Name, use.Direction()).Hint =
			"take the direction out"
	case there:
		d.Warnf(use.Pos, use.Width, "unknown-guardrail",
			"%s: no guardrail that it waits for looks at the %s, so none fires there", use.Type, use.Direction()).Hint =
			"take the direction out, or give the guardrail direction: both"
	case !isEval:
		d.Warnf(use.Pos, use.Width, "unknown-guardrail",
			"%s: no prompt has a guardrail that is enabled, so none ever fires", use.Type).Hint =
			"list one under validators of the prompt, or take the check out"
	}
}

// GuardrailNames returns the types of the project's guardrails, and the ids and types of its evals.
func GuardrailNames(p *scenario.Project, chosen []*scenario.Scenario) []string {
	names := guardrailsOf(p.Prompts)
	for _, e := range inventory.UsedEvals(p, chosen) {
		names = append(names, e.ID, e.Type)
	}
	return names
}

// guardrailsOf are the types of the guardrails of prompts that are enabled.
func guardrailsOf(prompts []*scenario.Prompt) []string { return validatorsOf(prompts, true) }

// switchedOff are the types of the guardrails of prompts that are not enabled.
func switchedOff(prompts []*scenario.Prompt) []string { return validatorsOf(prompts, false) }

func validatorsOf(prompts []*scenario.Prompt, enabled bool) (names []string) {
	for _, prompt := range prompts {
		if prompt == nil {
			continue
		}
		for _, v := range prompt.Validators {
			check, ok := inventory.Sample(v.Compiled).(*checks.Compiled)
			if ok && v.Enabled == enabled && !slices.Contains(names, check.Type) {
				names = append(names, check.Type)
			}
		}
	}
	return names
}

func reportGuardrail(use *checks.GuardrailUse, names, off []string, d *diag.List) {
	if slices.ContainsFunc(names, use.Means) {
		return
	}
	if slices.Contains(off, use.Name) {
		d.Errorf(use.Pos, use.Width, "unknown-guardrail", "%s: the eval %q is switched off, so it never fires", use.Type,
			use.Name).Hint = "by enabled: false in its definition, or by --eval-groups, --eval-types or --skip-evals"
		return
	}
	if use.Known() {
		problem := d.Warnf(use.Pos, use.Width, "unknown-guardrail",
			"%s: %s is no guardrail of this project, so it never fires", use.Type, use.Name)
		problem.Hint = "list it under validators of the prompt"
		return
	}
	problem := d.Errorf(use.Pos, use.Width, "unknown-guardrail", "%s: there is no guardrail %q", use.Type, use.Name)
	problem.Hint = "guardrails are listed under validators of a prompt; this project has none"
	if len(names) > 0 {
		problem.Hint = diag.HintKnown(use.Name, names)
	}
}
