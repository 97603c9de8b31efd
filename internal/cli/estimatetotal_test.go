package cli

import "testing"

// The total of an estimate names what nobody pays apart from what is paid.
func TestEstimatedTotals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		total expenses
		want  string
	}{
		{expenses{usd: 0.25}, "$0.2500"},
		{expenses{usd: 0.25, simulatedUSD: 0.5}, "$0.2500 + $0.5000 simulated"},
		{expenses{simulatedUSD: 0.5}, "$0.5000 simulated"},
		{expenses{}, "$0"},
		{expenses{usd: 0.25, simulatedUSD: 0.5, unknown: true}, "unknown"},
	} {
		if got := tc.total.cost(); got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.total, got, tc.want)
		}
	}
}
