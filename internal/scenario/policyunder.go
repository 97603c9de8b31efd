package scenario

import (
	"cmp"
	"slices"
)

// The limits of the tool loop where neither a scenario nor a prompt sets them.
const (
	defaultRounds    = 50
	defaultIdentical = 3
	defaultCostUSD   = 2.00
)

// PolicyUnder returns the tool policy that holds in the scenario under a prompt. What the scenario leaves out comes
// from the prompt, and then from the defaults. The blocklists of both hold: no scenario lets an agent use what its
// prompt forbids. For a step of a composition, prompt is its own, or nil, and state the prompt of the state that runs
// it: of the limits of both the narrower holds. Elsewhere state is nil.
func (s *Scenario) PolicyUnder(prompt, state *Prompt) ToolPolicy {
	var p ToolPolicy
	if s.ToolPolicy != nil {
		p = *s.ToolPolicy
	}
	if q := narrower(prompt, state); q != nil {
		p.Choice = cmp.Or(p.Choice, q.Choice)
		p.MaxRounds, p.MaxPerTurn = cmp.Or(p.MaxRounds, q.MaxRounds), cmp.Or(p.MaxPerTurn, q.MaxPerTurn)
		p.MaxTotal, p.MaxIdentical = cmp.Or(p.MaxTotal, q.MaxTotal), cmp.Or(p.MaxIdentical, q.MaxIdentical)
		p.MaxCostUSD = cmp.Or(p.MaxCostUSD, q.MaxCostUSD)
		p.Blocklist = append(slices.Clone(p.Blocklist), q.Blocklist...)
	}
	p.MaxRounds, p.MaxIdentical = cmp.Or(p.MaxRounds, defaultRounds), cmp.Or(p.MaxIdentical, defaultIdentical)
	p.LimitsCost = p.MaxCostUSD > 0
	p.MaxCostUSD = cmp.Or(p.MaxCostUSD, defaultCostUSD)
	return p
}

// narrower returns a policy that allows what the policies of both prompts allow; nil when neither has one. The choice
// of the first comes before that of the second, unless one of them lets no tool be called.
func narrower(a, b *Prompt) *ToolPolicy {
	switch {
	case b == nil || b == a || b.ToolPolicy == nil:
		if a == nil {
			return nil
		}
		return a.ToolPolicy
	case a == nil || a.ToolPolicy == nil:
		return b.ToolPolicy
	}
	p, q := *a.ToolPolicy, b.ToolPolicy
	if p.Choice = cmp.Or(p.Choice, q.Choice); q.Choice == "none" {
		p.Choice = q.Choice
	}
	p.MaxRounds, p.MaxIdentical = lower(p.MaxRounds, q.MaxRounds), lower(p.MaxIdentical, q.MaxIdentical)
	p.MaxPerTurn, p.MaxTotal = lower(p.MaxPerTurn, q.MaxPerTurn), lower(p.MaxTotal, q.MaxTotal)
	p.MaxCostUSD = lower(p.MaxCostUSD, q.MaxCostUSD)
	p.Blocklist = slices.Concat(p.Blocklist, q.Blocklist)
	return &p
}

// lower is the lower one of two limits, of which 0 is none.
func lower[T int | float64](a, b T) T {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}
