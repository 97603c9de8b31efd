package checks

import "slices"

// BansInLastReply reports whether the check, or one within it, passes because something is missing from a reply, and
// looks only at the last one: at the end of a conversation the replies before it may hold what must not be said.
func (c *Compiled) BansInLastReply() bool { return c.bansInLastReply(false) }

// bansInLastReply is BansInLastReply for a check that passes where it is not met, when turned is true.
func (c *Compiled) bansInLastReply(turned bool) bool {
	if c.MaxScore != nil && c.MinScore == nil && *c.MaxScore < 1 {
		turned = !turned
	}
	if parts := c.Nested(); parts != nil {
		if _, not := c.Check.(*negation); not {
			turned = !turned
		}
		return slices.ContainsFunc(parts, func(part *Compiled) bool { return part.bansInLastReply(turned) })
	}
	if c.session || c.Def.Scope == WholeAlways || c.Def.Reads != ReadsReply {
		return false
	}
	if match, ok := c.Check.(decidedByPattern); ok && match.scoreOfMatch() == 0 {
		turned = !turned
	}
	return turned
}
