package checks

import (
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/say"
)

// An agent that is a program or an endpoint may not report its tool calls, or its number of model calls. Then nothing
// is known about them; it does not mean that there were none.

var (
	errCallsUnreported      = errors.New("not known: the agent does not report which tools it called")
	errModelCallsUnreported = errors.New("not known: the agent does not report how often it asked a model")
)

// isUnreported reports whether the agent does not report something about a reply in scope.
func (s *Subject) isUnreported(what string) bool {
	for i := s.Start; i < len(s.Messages); i++ {
		if s.Messages[i].IsUnreported(what) {
			return true
		}
	}
	return false
}

// unreportedCalls is the error of a check that reads calls, or parts of them, that the agent does not report; nil:
// none. Each part of a combined check tests this itself.
func (c *Compiled) unreportedCalls(s *Subject) error {
	if c.Nested() != nil || c.Needs()&NeedsCalls == 0 {
		return nil
	}
	if s.isUnreported(chat.UnreportedToolCalls) {
		return errCallsUnreported
	}
	for i := range unreportedParts {
		part := &unreportedParts[i]
		if c.Def.Weighs&part.of == 0 || !s.isUnreported(part.word) {
			continue
		}
		for i := range s.Calls {
			if call := &s.Calls[i]; part.unreported(call) && c.looksAt(part.of, call.Name) {
				return unreportedError{part, call}
			}
		}
	}
	return nil
}

// CallParts are parts of tool calls besides their names.
type CallParts uint8

// The parts.
const (
	CallArgs CallParts = 1 << iota
	CallResults
	CallOutcomes // whether they failed
)

// unreportedParts are the parts of calls that an agent may not report. A part that is present was reported.
var unreportedParts = []unreportedPart{
	{chat.UnreportedArguments, CallArgs, "with which arguments it called %s", func(c *Call) bool {
		return len(c.Args) == 0
	}},
	{chat.UnreportedResults, CallResults, "the result of its call of %s", (*Call).silent},
	{chat.UnreportedOutcomes, CallOutcomes, "whether its call of %s failed", (*Call).silent},
}

type unreportedPart struct {
	word       string // of chat.UnreportedWords
	of         CallParts
	what       string
	unreported func(*Call) bool
}

// silent reports whether a call has no result.
func (c *Call) silent() bool { return c.Text() == "" && !c.Failed() }

// particular is a check that reads a part of some calls only.
type particular interface {
	// looksAt reports whether it reads a part of the calls of a tool.
	looksAt(part CallParts, tool string) bool
}

// looksAt reports whether the verdict depends on a part of the calls of a tool.
func (c *Compiled) looksAt(part CallParts, tool string) bool {
	if check, ok := c.Check.(particular); ok {
		return check.looksAt(part, tool)
	}
	some, named := false, false
	for _, use := range c.Names() {
		if use.Kind == ArgumentName && part == CallArgs {
			some, named = some || use.Of == tool, true
		}
	}
	return some || !named
}

// unreportedError is the error of a check whose verdict depends on something unknown.
type unreportedError struct {
	part *unreportedPart
	call *Call
}

func (e unreportedError) Error() string {
	if bad := e.call.BadArgs; bad != "" && e.part.of == CallArgs {
		return fmt.Sprintf("not known: what the agent reports as the arguments with which it called %s is no JSON object: %s",
			say.Named(e.call.Name), say.Quote(bad))
	}
	return "not known: the agent does not report " + fmt.Sprintf(e.part.what, say.Named(e.call.Name))
}
