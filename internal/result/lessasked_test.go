package result

import "testing"

func TestLessThan(t *testing.T) {
	t.Parallel()
	gate := func(rate, tolerance, confidence float64) demand {
		return demand{rate: rate, tolerance: tolerance, confidence: confidence}
	}
	count := func(trials int, threshold float64) demand { return demand{trials: trials, threshold: threshold} }
	for _, c := range []struct {
		was, now demand
		want     string
	}{
		{gate(0.9, 0, 0.95), gate(0.9, 0, 0.95), ""},
		{gate(0.9, 0, 0.95), gate(0.95, 0, 0.99), ""},
		{gate(0.9, 0, 0.95), gate(0.2, 0, 0.95), "asked 90%, now 20%"},
		{gate(0.9, 0, 0.95), gate(0.9, 0.2, 0.95), "asked 90%, now 90% with a tolerance of 20%"},
		{gate(0.9, 0, 0.95), gate(0.9, 0, 0.8), "asked with 95% confidence, now 80%"},
		{gate(0.9, 0, 0.95), count(1, 1), "asked 90%, now one trial that passes"},
		{gate(0.9, 0, 0.95), count(20, 0.5), "asked 90%, now 50% of 20 trials"},
		{gate(0.8, 0, 0.95), count(20, 1), ""}, // at 80% it passes in 1 of 100
		{gate(0.9, 0, 0.95), demand{rate: 0.9, confidence: 0.95, undecided: true}, "had to be decided, now may be undecided"},
		{count(20, 1), gate(0.2, 0, 0.95), "asked all of 20 trials, now 20%"},
		{count(1, 1), gate(0.8, 0, 0.95), ""},
		{count(20, 1), count(5, 1), ""},
	} {
		if got := c.now.lessThan(c.was); got != c.want {
			t.Errorf("%+v after %+v: %q, want %q", c.now, c.was, got, c.want)
		}
	}
}
