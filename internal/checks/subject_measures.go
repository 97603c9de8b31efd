package checks

import (
	"errors"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
)

var (
	errNoElapsed = notMeasured("how long the conversation took is not known")
	errNoLatency = notMeasured("how long the reply took is not known")
	errNoTokens  = notMeasured("a model call has no token counts")
	errNoCost    = notMeasured("the cost of a model call is not known; " +
		"write pricing in the config or in the file of the provider")
)

// tokens returns the input and output tokens of the scope. They are not known when only some model calls have counts.
func (s *Subject) tokens() (in, out int, known bool) {
	if s.InputTokens == nil || s.OutputTokens == nil || s.isUnreported(chat.UnreportedTokens) {
		return 0, 0, false
	}
	with, lacking := 0, 0
	for i := s.Start; i < len(s.Messages); i++ {
		m := &s.Messages[i]
		switch {
		case m.Role != chat.Assistant:
		case m.Usage == nil:
			lacking++
		default:
			with++
		}
	}
	return *s.InputTokens, *s.OutputTokens, with == 0 || lacking == 0
}

// cost returns the cost of the scope. It is not known when the price of some model call is not known.
func (s *Subject) cost() (usd float64, known bool) {
	if s.CostUSD == nil {
		return 0, false
	}
	_, unknown, calls := s.pricedCalls()
	return *s.CostUSD, unknown == 0 || unknown == calls
}

// knownCost sums the known cost of the model calls in scope.
func (s *Subject) knownCost() (usd float64, unknown, calls int) {
	if usd, known := s.cost(); known {
		return usd, 0, s.modelCalls()
	}
	return s.pricedCalls()
}

// pricedCalls sums the prices of the messages.
func (s *Subject) pricedCalls() (usd float64, unknown, calls int) {
	for i := s.Start; i < len(s.Messages); i++ {
		m := &s.Messages[i]
		if m.Role != chat.Assistant {
			continue
		}
		calls++
		if m.CostUSD == nil {
			unknown++
			continue
		}
		usd += *m.CostUSD
	}
	return usd, unknown, calls
}

// modelCalls is the number of model calls in scope. Each call leaves one assistant message, except the calls of
// composition steps, which leave one together.
func (s *Subject) modelCalls() (n int) {
	for _, r := range s.Texts() {
		if calls := s.Messages[r.Index].ModelCalls; calls != nil {
			n += *calls
		} else {
			n++
		}
	}
	return n
}

// notMeasured is the error for limits on values that were not measured, or only in part.
func notMeasured(why string) error { return errors.New("not measured: " + why) }

// estimated reports whether the tokens of a model call in scope were not all counted by its server. An agent that
// does not report its tokens has its own rules.
func (s *Subject) estimated() bool {
	return !s.isUnreported(chat.UnreportedTokens) && slices.ContainsFunc(s.Messages[s.Start:], func(m chat.Message) bool {
		return m.Role == chat.Assistant && m.Usage != nil && m.Usage.Estimated
	})
}

// about is the word before an estimated number; "" for exact ones.
func (s *Subject) about() string {
	if s.estimated() {
		return "about "
	}
	return ""
}
