package checks

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/secret"
)

// Checks cannot compare arguments that are not a JSON object, although these may contain what is looked for. Required
// content is missing then. For forbidden content the verdict is unknown.

// unreadArgs looks for such a call that would change the score if it had the arguments that the check names. It
// describes the call; "": there is none.
func (c *Compiled) unreadArgs(ctx context.Context, s *Subject, f Finding) string {
	unreadable := func(call Call) bool { return call.BadArgs != "" && !chat.AmbiguousArgs(call.BadArgs) }
	if s.masking != unmasked || !slices.ContainsFunc(s.Calls, unreadable) { // true for nearly all subjects
		return ""
	}
	if _, ok := c.Check.(heeding); !ok {
		return ""
	}
	named := map[string]map[string]any{} // by tool: arguments of any value
	for _, use := range c.Names() {
		if use.Kind != ArgumentName {
			continue
		}
		if named[use.Of] == nil {
			named[use.Of] = map[string]any{}
		}
		named[use.Of][use.Name] = secret.Redacted
	}
	var unread *Call
	calls := slices.Clone(s.Calls)
	for i := range calls {
		call := &calls[i]
		if args := named[call.Name]; args != nil && unreadable(*call) {
			unread = &s.Calls[i]
			call.Args, call.BadArgs = args, ""
		}
	}
	if unread == nil {
		return ""
	}
	with := s.Fork()
	with.Calls = calls
	for _, mask := range []masking{neverMatch, alwaysMatch} {
		if other, err := c.Check.Eval(ctx, with.under(mask)); err != nil || other.Score != f.Score {
			return unread.Name + ": " + chat.ArgsProblem(unread.BadArgs) + inTurn(s, unread.Turn) + ": " +
				say.Quote(unread.BadArgs)
		}
	}
	return ""
}
