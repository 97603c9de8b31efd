package textmeasure

import (
	"math"
	"testing"
)

func TestCosineStaysFinite(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1e300, 1e300}, []float64{1e-300, 1e-300}, 1},
		{[]float64{math.MaxFloat64, 0}, []float64{math.MaxFloat64, math.MaxFloat64}, math.Sqrt2 / 2},
		{[]float64{0, 0}, []float64{1, 0}, 0},
		{nil, nil, 0},
	} {
		if got := Cosine(tc.a, tc.b); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("cosine of %v and %v is %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
}
