package checks

import "slices"

// LooksBack reports whether the check, or one in it, asks what evals found that ran before.
func (c *Compiled) LooksBack() bool {
	_, looks := c.Check.(*guardrailTriggered)
	return looks || slices.ContainsFunc(c.Nested(), (*Compiled).LooksBack)
}

// AsksWhyEnded reports whether the check, or one in it, looks at why a reply ended.
func (c *Compiled) AsksWhyEnded() bool {
	_, asks := c.Check.(*finishReason)
	return asks || slices.ContainsFunc(c.Nested(), (*Compiled).AsksWhyEnded)
}
