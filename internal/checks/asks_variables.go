package checks

import "slices"

// GetsVariables reports whether the check, or one in it, is handed all variables of the conversation: programs and
// endpoints, and checks that are not arena's own.
func (c *Compiled) GetsVariables() bool {
	switch c.Check.(type) {
	case *execEval, *restEval, *a2aEval:
		return true
	}
	return c.Def != nil && c.Def.custom || slices.ContainsFunc(c.Nested(), (*Compiled).GetsVariables)
}
