package checks

import "math"

// overlap says how well what happened covers what was expected, by counts.
type overlap struct{ matched, expected, actual int }

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func (o overlap) precision() float64 { return share(o.matched, o.actual) }

func (o overlap) recall() float64 { return share(o.matched, o.expected) }

// f1 is the harmonic mean of precision and recall; 0 when nothing matched.
func (o overlap) f1() float64 { return share(2*o.matched, o.expected+o.actual) }

// sixDigits rounds a figure for reports.
func sixDigits(f float64) float64 { return math.Round(f*1e6) / 1e6 }
