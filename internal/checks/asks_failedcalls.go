package checks

import (
	"context"
	"slices"
)

// OnlyByFailedCalls reports whether the check held because of tool calls that failed: without them it does not. The
// subject is the one that it was judged by. A check that depends on failures itself is left to it.
func (c *Compiled) OnlyByFailedCalls(ctx context.Context, s *Subject) bool {
	if c.Def.Family != FamilyTools && c.Def.Family != FamilyTrace || c.Nested() != nil || c.CountsFailures() ||
		c.Needs() >= NeedsCompute {
		return false
	}
	if c.session {
		s = s.Whole()
	}
	if !slices.ContainsFunc(s.Calls, func(call Call) bool { return call.Failed() }) {
		return false
	}
	succeeded := s.Fork()
	succeeded.Calls = slices.DeleteFunc(slices.Clone(s.Calls), func(call Call) bool { return call.Failed() })
	succeeded.AllCalls = slices.DeleteFunc(slices.Clone(s.AllCalls), func(call Call) bool { return call.Failed() })
	f, err := c.Check.Eval(ctx, succeeded)
	return err == nil && !c.passes(f)
}
