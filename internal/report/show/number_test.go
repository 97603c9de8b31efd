package show_test

import (
	"math"
	"testing"

	"github.com/arena-evals/arena/internal/report/show"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", 41208: "41,208", 1234567: "1,234,567", -1234: "-1,234",
	} {
		if got := show.Count(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		0: "0", 947: "947", 1000: "1k", 1234: "1.2k", 9949: "9.9k", 9950: "10k", 41208: "41k", 999_499: "999k",
		999_500: "1M", 3_456_789: "3.5M", 23_495_576: "23M", 4_200_000_000: "4.2G",
	} {
		if got := show.Short(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for usd, want := range map[float64]string{
		0: "$0", 0.0187: "$0.0187", 0.0004: "$0.0004", 0.0001: "$0.0001", 0.00004: "$0.00004", 0.0000123: "$0.000012",
		0.00000000456: "$0.0000000046", 0.5: "$0.5000", 0.9951: "$1.00", 1: "$1.00", 92.361: "$92.36",
		12345.678: "$12,345.68", -0.02: "-$0.0200", math.Inf(1): "unknown",
	} {
		if got := show.Money(&usd); got != want {
			t.Errorf("%v: got %s, want %s", usd, got, want)
		}
	}
	if got := show.Money(nil); got != "unknown" {
		t.Errorf("nil: got %s", got)
	}
	for usd := 1.0; usd > 1e-12; usd /= 1.7 {
		if got := show.Money(&usd); !containsDigit(got) {
			t.Errorf("%v reads as nothing: %s", usd, got)
		}
	}
}

// TestSpent: money that a mock made up never reads as money that was paid.
func TestSpent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		usd       *float64
		simulated float64
		want      string
	}{
		{nil, 0, "unknown"}, {nil, 0.5, "unknown"}, {new(0.0), 0, "$0"}, {new(0.0002), 0, "$0.0002"},
		{new(0.0002), 0.0002, "$0.0002 simulated"}, {new(0.1 + 0.2), 0.3, "$0.3000 simulated"},
		{new(0.3), 0.1 + 0.2, "$0.3000 simulated"}, {new(0.31), 0.02, "$0.3100, $0.0200 of it simulated"},
		{new(0.31), 0.3099, "$0.3100, $0.3099 of it simulated"},
	} {
		if got := show.Spent(c.usd, c.simulated); got != c.want {
			t.Errorf("%v of which %v: got %s, want %s", c.usd, c.simulated, got, c.want)
		}
	}
}

func containsDigit(s string) bool {
	for _, r := range s {
		if r >= '1' && r <= '9' {
			return true
		}
	}
	return false
}

func TestSeconds(t *testing.T) {
	t.Parallel()
	for ms, want := range map[float64]string{
		0: "0.0s", 12: "0.0s", 49.9: "0.0s", 50: "0.1s", 900: "0.9s", 14_200: "14.2s", 60_000: "60.0s", 60_049: "60.0s",
		60_050: "1m 00s", 65_000: "1m 05s", 3_599_600: "1h 00m", 7_380_000: "2h 03m", 90_000_000: "25h 00m",
	} {
		if got := show.Seconds(ms); got != want {
			t.Errorf("%v ms: got %s, want %s", ms, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]string{
		0: "0%", 1: "100%", 0.6: "60%", 2.0 / 3: "66.7%", 0.9999: "99.9%", 0.00001: "0.1%", 0.125: "12.5%",
	} {
		if got := show.Percent(share); got != want {
			t.Errorf("%v: got %s, want %s", share, got, want)
		}
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	for score, want := range map[float64]string{0: "0.00", 1: "1.00", 0.4: "0.40", 0.9999: "0.9999", 0.001: "0.001"} {
		if got := show.Score(score); got != want {
			t.Errorf("%v: got %s, want %s", score, got, want)
		}
	}
}

func TestPlural(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 turns", 1: "1 turn", 2: "2 turns", 1500: "1,500 turns"} {
		if got := show.Plural(n, "turn"); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
