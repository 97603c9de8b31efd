package checks

import (
	"context"
	"slices"
)

// OnlyByFailedCalls are the failed calls without which the check would not have held; nil: it did not need them. The
// subject is the one that it was judged by. A check that depends on failures itself is left to it.
func (c *Compiled) OnlyByFailedCalls(ctx context.Context, s *Subject) []Call {
	if c.Def.Family != FamilyTools && c.Def.Family != FamilyTrace || c.Nested() != nil || c.CountsFailures() ||
		c.Needs() >= NeedsCompute {
		return nil
	}
	if c.session {
		s = s.Conversation()
	}
	succeeds := func(call Call) bool { return !call.Failed() }
	failed := slices.DeleteFunc(slices.Clone(s.Calls), succeeds)
	if len(failed) == 0 {
		return nil
	}
	fails := func(call Call) bool { return call.Failed() }
	succeeded := s.Fork()
	succeeded.Calls = slices.DeleteFunc(slices.Clone(s.Calls), fails)
	succeeded.AllCalls = slices.DeleteFunc(slices.Clone(s.AllCalls), fails)
	if f, err := c.Check.Eval(ctx, succeeded); err != nil || c.passes(f) {
		return nil
	}
	if own := slices.DeleteFunc(slices.Clone(failed), func(call Call) bool { return !c.names(call.Name) }); len(own) > 0 {
		return own
	}
	return failed
}

// names reports whether the check speaks of a tool.
func (c *Compiled) names(tool string) bool {
	return slices.ContainsFunc(c.Names(), func(use NameUse) bool {
		return (use.Kind == ToolName || use.Kind == CalledTool) && use.Name == tool
	})
}
