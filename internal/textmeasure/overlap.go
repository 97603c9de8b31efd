package textmeasure

// Overlap counts the expected and the actual items, and those in both.
type Overlap struct{ Matched, Expected, Actual int }

// Share is a part of a whole; 0 of nothing.
func Share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Precision is the expected share of the actual items.
func (o Overlap) Precision() float64 { return Share(o.Matched, o.Actual) }

// Recall is the share of the expected items that occurred.
func (o Overlap) Recall() float64 { return Share(o.Matched, o.Expected) }

// F1 is the harmonic mean of precision and recall; 0 when nothing matched.
func (o Overlap) F1() float64 { return Share(2*o.Matched, o.Expected+o.Actual) }
