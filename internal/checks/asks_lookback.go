package checks

import "slices"

// AsksEarlierEvals reports whether the check, or one within it, looks at results of evals that ran before it.
func (c *Compiled) AsksEarlierEvals() bool {
	_, looks := c.Check.(*guardrailTriggered)
	return looks || slices.ContainsFunc(c.Nested(), (*Compiled).AsksEarlierEvals)
}

// AsksFinishReason reports whether the check, or one within it, looks at why a reply ended.
func (c *Compiled) AsksFinishReason() bool {
	_, asks := c.Check.(*finishReason)
	return asks || slices.ContainsFunc(c.Nested(), (*Compiled).AsksFinishReason)
}

// AsksForm reports whether the check, or one within it, may look at the form of a reply: at its JSON, or by a program.
func (c *Compiled) AsksForm() bool {
	switch {
	case c.Def.Family == FamilyJSON, c.Def.Family == FamilyExternal, c.Def.custom, c.Def == equalsDef:
		return true
	}
	return slices.ContainsFunc(c.Nested(), (*Compiled).AsksForm)
}
