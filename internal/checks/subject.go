package checks

import (
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// Subject is what a check looks at: one turn, or the whole conversation. It belongs to one goroutine.
type Subject struct {
	// Session is set for conversation assertions and evals at the end of a session.
	Session bool
	// Messages is the whole transcript so far, the system prompt included.
	Messages []chat.Message
	// Start is the index in Messages of the first message of the turn under test; 0 in session scope.
	Start int
	// Turn is the index of the turn under test, from 0; -1 in session scope.
	Turn int
	// Calls are the tool calls in scope, in order, with their results.
	Calls []Call
	// LatencyMS is the time to the reply under test; nil when not known.
	LatencyMS *float64
	// Cost and tokens of the scope. CostUSD is nil when a price is not known.
	CostUSD                   *float64
	InputTokens, OutputTokens *int
	Variables                 map[string]string
	Metadata                  map[string]any // host values: embedding, workflow_current_state, …

	output, lower       string
	hasOutput, hasLower bool
}

// Call is a tool call together with what came of it.
type Call struct {
	Turn       int // index of the turn, from 0
	Name       string
	Args       map[string]any // numbers are json.Number or float64
	Result     any            // text, or decoded JSON in vectors; nil: absent
	Parts      []chat.Part
	Error      string // non-empty: the call failed
	ErrorType  string // chat.ErrorValidation, …
	DurationMS float64
}

// Output is the text of the last assistant message in scope, or "" when there is none.
func (s *Subject) Output() string {
	if !s.hasOutput {
		s.hasOutput = true
		for i := len(s.Messages) - 1; i >= s.Start; i-- {
			if s.Messages[i].Role == chat.Assistant {
				s.output = s.Messages[i].Text()
				break
			}
		}
	}
	return s.output
}

// Lower is Output in lower case, folded once for all checks of the subject.
func (s *Subject) Lower() string {
	if !s.hasLower {
		s.hasLower, s.lower = true, strings.ToLower(s.Output())
	}
	return s.lower
}

// HasReply reports whether there is any assistant message in scope. Without one most checks have nothing to judge.
func (s *Subject) HasReply() bool {
	for i := s.Start; i < len(s.Messages); i++ {
		if s.Messages[i].Role == chat.Assistant {
			return true
		}
	}
	return false
}

// Replies calls yield with every assistant message in scope and its index in Messages.
func (s *Subject) Replies(yield func(i int, m *chat.Message) bool) {
	for i := s.Start; i < len(s.Messages); i++ {
		if s.Messages[i].Role == chat.Assistant && !yield(i, &s.Messages[i]) {
			return
		}
	}
}
