package textmeasure

import "math"

// Cosine is the cosine of the angle between two vectors of one length; 0 when it is negative. Large components are
// scaled down first, so that their squares stay finite.
func Cosine(a, b []float64) float64 {
	scaleA, scaleB := largest(a), largest(b)
	if scaleA == 0 || scaleB == 0 {
		return 0
	}
	var dot, normA, normB float64
	for i := range a {
		x, y := a[i]/scaleA, b[i]/scaleB
		dot, normA, normB = dot+x*y, normA+x*x, normB+y*y
	}
	return min(1, max(0, dot/(math.Sqrt(normA)*math.Sqrt(normB))))
}

func largest(v []float64) float64 {
	most := 0.0
	for _, f := range v {
		most = max(most, math.Abs(f))
	}
	return most
}
