package keys

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// meantNumber is the number that somebody meant who wrote a text for a key: "2s" for max_ms is 2000, "80%" for a rate
// is 0.8, "5ct" for a cost is 0.05, and "three" is 3.
func meantNumber(name string, s Number, text string) (n float64, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	n, ok = numberIn(name, s, text)
	fits := n >= s.Low && n <= s.High && !(s.Above && n == s.Low)
	return n, ok && fits && (!s.Integer || n == math.Trunc(n))
}

func numberIn(name string, s Number, text string) (float64, bool) {
	if i := slices.Index([]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"},
		text); i >= 0 {
		return float64(i + 1), true
	}
	if took, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); err == nil {
		switch {
		case strings.HasSuffix(name, "ms"):
			return float64(took) / float64(time.Millisecond), true
		case strings.HasSuffix(name, "seconds"):
			return took.Seconds(), true
		}
	}
	for _, unit := range []struct {
		mark string
		part float64
		of   bool // the key is of this kind
	}{
		{"%", 0.01, s.High <= 1}, {"percent", 0.01, s.High <= 1},
		{"ct", 0.01, isCost(name)}, {"cents", 0.01, isCost(name)}, {"¢", 0.01, isCost(name)},
		{"$", 1, isCost(name)}, {"usd", 1, isCost(name)},
	} {
		bare := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, unit.mark), unit.mark))
		if n, err := strconv.ParseFloat(bare, 64); err == nil && unit.of && bare != text {
			return math.Round(n*unit.part*1e9) / 1e9, true
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

func isCost(name string) bool { return strings.Contains(name, "usd") || strings.Contains(name, "cost") }
