package checks

import (
	"errors"

	"github.com/arena-evals/arena/internal/chat"
)

var errNoElapsed = errors.New("how long the conversation took is not known")

// tokens is the input and output tokens of the scope; not known when some model calls have counts and others do not.
func (s *Subject) tokens() (total int, known bool) {
	if s.InputTokens == nil || s.OutputTokens == nil {
		return 0, false
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
	return *s.InputTokens + *s.OutputTokens, with == 0 || lacking == 0
}

// knownCost sums what is known of the cost of the model calls in scope.
func (s *Subject) knownCost() (usd float64, unknown, calls int) {
	if s.CostUSD != nil {
		return *s.CostUSD, 0, s.modelCalls()
	}
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

// modelCalls is the number of calls of a model in scope: each leaves one assistant message.
func (s *Subject) modelCalls() int { return len(s.Texts()) }

// notMeasured is for limits on what nobody measured: neither held nor broken. The check is skipped, and an error when
// the run is strict.
func (s *Subject) notMeasured(why string) error {
	if s.Strict {
		return errors.New("not measured: " + why)
	}
	return unmeasured(why)
}

type unmeasured string

func (e unmeasured) Error() string { return "not measured: " + string(e) }

func (unmeasured) Is(target error) bool { return target == ErrNotApplicable }
