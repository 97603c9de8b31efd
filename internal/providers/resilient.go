package providers

import (
	"time"

	"github.com/arena-evals/arena/internal/scenario"
)

// Resilient wraps a model. Its calls are limited as its file says, repeated as the policy says, and not made while the
// breaker is open. Every attempt counts against the limits.
func Resilient(
	model Provider, spec *scenario.Provider, policy scenario.RetryPolicy, random func() float64, now func() time.Time,
) Provider {
	b := NewBreaker(spec, now)
	p := Pace(b.Attempts(model), spec.RPS, spec.Burst)
	p = Limit(p, spec.MaxConcurrent)
	return b.Calls(Retry(p, policy, random))
}
