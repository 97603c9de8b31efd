package checks

import (
	"errors"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/secret"
)

// errTakenOut is returned by checks that pass when something was not said, for a conversation of which a part was taken
// out before it was written: what is missing may be just that.
var errTakenOut = errors.New("not known: " + secret.Redacted + " stands in place of what was said, and may hide what " +
	"must not be there; judge the conversation in the run itself")

// bans reports whether the check passes when something is not there.
func (c *Compiled) bans() bool {
	if b, ok := c.Check.(interface{ bans() bool }); ok {
		return b.bans()
	}
	return c.Def != nil && c.Def.Bans
}

// takenOut reports whether something was taken out of what a stored conversation says in scope.
func (s *Subject) takenOut() bool {
	if !s.Stored {
		return false
	}
	for i := s.Start; i < len(s.Messages); i++ {
		m := &s.Messages[i]
		if m.Role == chat.Assistant && strings.Contains(m.Text(), secret.Redacted) {
			return true
		}
		for _, call := range m.ToolCalls {
			if redactedIn(call.Args) || strings.Contains(call.BadArgs, secret.Redacted) {
				return true
			}
		}
	}
	return false
}

// redactedIn looks through a decoded JSON value, keys as well.
func redactedIn(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, secret.Redacted)
	case map[string]any:
		for key, item := range v {
			if redactedIn(key) || redactedIn(item) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, redactedIn)
	}
	return false
}
