package scenario

import (
	"cmp"
	"slices"
)

// The default limits of the tool loop.
const (
	defaultRounds    = 50
	defaultIdentical = 3
	defaultCostUSD   = 2.00
)

// PolicyUnder returns the tool policy of the scenario with a prompt. Missing values come from the prompt, and then from
// the defaults. Both blocklists apply: no scenario may lift what its prompt forbids. For a composition step, prompt is
// that of the step, or nil, and state is the prompt of the state that runs it: the stricter limits of both apply.
// Otherwise state is nil.
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

// narrower returns a policy that allows only what both prompts allow; nil if neither has a policy. The choice of the
// first has precedence, unless one of them forbids all calls.
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

// lower is the lower of two limits; 0 is no limit.
func lower[T int | float64](a, b T) T {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}
