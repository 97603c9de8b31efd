package checks

import "slices"

// LimitsMoney reports whether the check, or one within it, limits the cost of a conversation. alone: it has no other
// limit, so with prices of 0 it always passes.
func (c *Compiled) LimitsMoney() (limits, alone bool) {
	if b, ok := c.Check.(*costBudget); ok && b.MaxCostUSD != nil {
		return true, b.MaxTotalTokens == nil && b.MaxInputTokens == nil && b.MaxOutputTokens == nil
	}
	return slices.ContainsFunc(c.Nested(), func(n *Compiled) bool {
		limits, _ := n.LimitsMoney()
		return limits
	}), false
}

// ByEstimate reports whether the check, or one within it, compares estimated tokens or money with a limit. Estimates
// leave out what arena does not see, such as tools and thoughts.
func (c *Compiled) ByEstimate(s *Subject) bool {
	if c.session {
		s = s.Conversation()
	}
	switch c.Check.(type) {
	case *costBudget, *maxCost:
		return s.estimated()
	}
	return slices.ContainsFunc(c.Nested(), func(part *Compiled) bool { return part.ByEstimate(s) })
}
