package checks

import (
	"context"
	"slices"
)

// OnlyByFailedCalls returns the failed calls without which the check would not have passed; nil: it did not need them.
// s is the subject that was judged. The result is nil for a check that itself depends on failures.
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

// names reports whether the check names a tool.
func (c *Compiled) names(tool string) bool {
	return slices.ContainsFunc(c.Names(), func(use NameUse) bool {
		return (use.Kind == ToolName || use.Kind == CalledTool) && use.Name == tool
	})
}
