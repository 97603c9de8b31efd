package providers

import (
	"time"

	"github.com/arena-evals/arena/internal/scenario"
)

// Resilience says how a model is called that may fail, or must not be called too often. Its zero value works.
type Resilience struct {
	Policy scenario.RetryPolicy
	Random func() float64   // see Retry
	Now    func() time.Time // nil: time.Now
	Shared Shared
}

// Resilient wraps a model. Its calls are limited as its file says, repeated as the policy says, and not made while the
// breaker is open. Every attempt counts against the limits.
func Resilient(model Provider, spec *scenario.Provider, how *Resilience) Provider {
	b := NewBreaker(spec, how.Now)
	p := Pace(b.Attempts(model), spec, how.Shared.Turns)
	p = Limit(p, spec.MaxConcurrent, how.Shared.Slots)
	return b.Calls(Retry(p, how.Policy, how.Random))
}
