package checks

import "slices"

// GetsVariables reports whether the check, or one within it, receives all variables of the conversation, as programs,
// endpoints and custom checks do.
func (c *Compiled) GetsVariables() bool {
	switch c.Check.(type) {
	case *execEval, *restEval, *a2aEval:
		return true
	}
	return c.Def != nil && c.Def.custom || slices.ContainsFunc(c.Nested(), (*Compiled).GetsVariables)
}
