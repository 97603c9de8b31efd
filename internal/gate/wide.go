package gate

import "math"

// wide is m·2^e, with m from ½ to 1, or 0: numbers of paths and powers of rates go beyond what a float64 holds.
type wide struct {
	m float64
	e int
}

var one = wide{0.5, 1}

func toWide(x float64) wide {
	m, e := math.Frexp(x)
	return wide{m, e}
}

func (w wide) times(v wide) wide {
	m, e := math.Frexp(float64(w.m * v.m))
	if m == 0 {
		return wide{}
	}
	return wide{m, e + w.e + v.e}
}

func (w wide) plus(v wide) wide {
	switch {
	case w.m == 0:
		return v
	case v.m == 0:
		return w
	case w.e < v.e:
		w, v = v, w
	}
	m, e := math.Frexp(w.m + math.Ldexp(v.m, v.e-w.e))
	return wide{m, e + w.e}
}

func (w wide) over(v wide) float64 { return math.Ldexp(w.m/v.m, w.e-v.e) }

func (w wide) float() float64 { return math.Ldexp(w.m, w.e) }

// powers are x^0 to x^n.
func powers(x float64, n int) []wide {
	all, by := make([]wide, n+1), toWide(x)
	all[0] = one
	for i := 1; i <= n; i++ {
		all[i] = all[i-1].times(by)
	}
	return all
}
