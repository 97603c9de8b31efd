package checks

import "slices"

// LimitsMoney reports whether the check, or one within it, has a limit of what a conversation costs. alone says that it
// has no other limit, so that with prices of 0 it holds whatever the agent does.
func (c *Compiled) LimitsMoney() (limits, alone bool) {
	if b, ok := c.Check.(*costBudget); ok && b.MaxCostUSD != nil {
		return true, b.MaxTotalTokens == nil && b.MaxInputTokens == nil && b.MaxOutputTokens == nil
	}
	return slices.ContainsFunc(c.Nested(), func(n *Compiled) bool {
		limits, _ := n.LimitsMoney()
		return limits
	}), false
}

// ByEstimate reports whether the check, or one within it, holds tokens or money to a limit that the servers of the
// models did not count: estimates leave out what they do not see, such as tools and thoughts.
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
