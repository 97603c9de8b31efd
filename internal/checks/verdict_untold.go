package checks

import (
	"errors"

	"github.com/arena-evals/arena/internal/chat"
)

// A program or an endpoint as the agent may not tell which tools it called, or how often it asked a model. Of that
// nothing is known then: it is not that there was none.

var (
	errCallsUntold  = errors.New("not known: the agent does not tell which tools it called")
	errModelsUntold = errors.New("not known: the agent does not tell how often it asked a model")
)

// leavesUntold reports whether the agent does not tell something of a reply in scope.
func (s *Subject) leavesUntold(what string) bool {
	for i := s.Start; i < len(s.Messages); i++ {
		if s.Messages[i].LeavesUntold(what) {
			return true
		}
	}
	return false
}

// untold is the error of a check that looks at calls which the agent does not tell; nil: there is none. Each part of a
// combined check tests this itself.
func (c *Compiled) untold(s *Subject) error {
	if c.Nested() == nil && c.Needs()&NeedsCalls != 0 && s.leavesUntold(chat.UntoldToolCalls) {
		return errCallsUntold
	}
	return nil
}
