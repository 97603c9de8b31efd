package checks

import "slices"

// CountsFailures reports whether the check, or one within it, depends on failed tool calls.
func (c *Compiled) CountsFailures() bool {
	if own, ok := c.Check.(interface{ countsFailures() bool }); ok && own.countsFailures() {
		return true
	}
	return slices.ContainsFunc(c.Nested(), (*Compiled).CountsFailures)
}

func (*noToolErrors) countsFailures() bool { return true }

func (c *toolEfficiency) countsFailures() bool { return c.MaxErrors != nil || c.MaxErrorRate != nil }

func (c *callRules) countsFailures() bool { return c.noError }

func (c toolCallChain) countsFailures() bool {
	return slices.ContainsFunc(c, func(step callRules) bool { return step.noError })
}
