package providers

import (
	"time"

	"github.com/arena-evals/arena/internal/scenario"
)

// Resilient is a model with everything around it that keeps calls from failing, and failures from spreading: its calls
// are limited as its file says, repeated by policy, and no longer made while nobody is there. Every attempt counts
// against the limits.
func Resilient(
	model Provider, spec *scenario.Provider, policy scenario.RetryPolicy, random func() float64, now func() time.Time,
) Provider {
	b := NewBreaker(spec, now)
	p := Pace(b.Attempts(model), spec.RPS, spec.Burst)
	p = Limit(p, spec.MaxConcurrent)
	return b.Calls(Retry(p, policy, random))
}
