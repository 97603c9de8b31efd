package preflight

import (
	"cmp"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// reportTwins warns of checks of a scenario that want a guardrail to fire of which its prompt has several: they hold
// whichever of these fires. Each is told once.
func reportTwins(p *scenario.Project, s *scenario.Scenario, told map[diag.Pos]bool, d *diag.List) {
	prompts, err := inventory.PossiblePrompts(p, s)
	if err != nil || s.Skip != "" || s.Recorded != nil {
		return
	}
	eachOwnCheck(s, func(c *checks.Compiled) {
		for _, use := range c.GuardrailUses() {
			for _, prompt := range prompts {
				n, apart, effect := twins(prompt, &use)
				if use.Name == "" || n < 2 || told[use.Pos] || !use.ShouldTrigger() {
					continue
				}
				told[use.Pos] = true
				w := d.Warnf(use.Pos, use.Width, "guardrail-twins", "%s: the prompt %s has %d guardrails %s, and it takes any of "+
					"them for the one that is meant", use.Type, prompt.TaskType, n, use.Name)
				w.Hint = toldApart(apart, effect)
			}
		}
	})
}

// twins are the guardrails of a prompt that a check takes for the one that it names, and whether a direction would tell
// each from the others. The effect is the greatest that one of them has.
func twins(prompt *scenario.Prompt, use *checks.GuardrailUse) (n int, apart bool, effect checks.Effect) {
	if prompt == nil {
		return 0, false, effect
	}
	met := map[string]int{}
	for _, v := range prompt.Validators {
		c, ok := inventory.Sample(v.Compiled).(*checks.Compiled)
		at := cmp.Or(v.Direction, "output")
		if ok && v.Enabled && use.Means(c.Type) && (at == "both" || use.Direction() == "both" || at == use.Direction()) {
			met[at]++
			n++
			if v.FailOnViolation {
				effect = max(effect, c.Effect())
			}
		}
	}
	return n, met["input"] == 1 && met["output"] == 1 && n == 2, effect
}

// toldApart says how to tell which of several guardrails of one check fired. An eval judges the reply as they left it.
func toldApart(byDirection bool, effect checks.Effect) string {
	switch {
	case byDirection:
		return "write direction: input or direction: output, which tells them apart"
	case effect == checks.Records:
		return "write the check of the one that is meant as an eval of the prompt too, and name the eval by its id"
	case effect == checks.Cuts:
		return "keep the one with the lowest limit, to which replies are cut"
	}
	return "give each a message of its own, and ask for that of the one that is meant with contains: it becomes the reply"
}

// reportLateEvals reports checks of turns that name an eval which judges the conversation after its last turn: the
// check never sees it.
func reportLateEvals(p *scenario.Project, s *scenario.Scenario, d *diag.List) {
	prompts, err := inventory.PossiblePrompts(p, s)
	if err != nil || s.Skip != "" {
		return
	}
	guards, set := guardrailsOf(prompts), inventory.UsedEvals(p, []*scenario.Scenario{s})
	report := func(use *checks.GuardrailUse) {
		var late *evals.Eval
		for _, e := range set {
			if e.ID != use.Name && !use.Means(e.Type) {
				continue
			}
			if late = e; evals.PhaseOf(e.Trigger) == evals.AfterTurn || evals.PhaseOf(e.Trigger) == evals.AfterStep {
				return
			}
		}
		if use.Name != "" && late != nil && !slices.ContainsFunc(guards, use.Means) {
			d.Errorf(use.Pos, use.Width, "unknown-guardrail", "%s: the eval %s judges after the last turn (%s), so that "+
				"no check of a turn sees it", use.Type, late.ID, late.Trigger).Hint =
				"put the check below conversation_assertions, or give the eval trigger: every_turn"
		}
	}
	for i := range s.Turns {
		for _, c := range s.Turns[i].Assertions {
			inventory.EachCompiled(c.Compiled, func(c *checks.Compiled) {
				for _, use := range c.GuardrailUses() {
					report(&use)
				}
			})
		}
	}
}
