package result

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/arena-evals/arena/internal/chat"
)

// Spread describes the distribution of numbers.
type Spread struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	// Deviation is the standard deviation of a sample, which divides by n - 1; null for a single number.
	Deviation *float64 `json:"deviation"`
	Low       float64  `json:"lowest"`
	High      float64  `json:"highest"`
}

// spreading sums numbers from 0 to chat.Most without keeping them. The result does not depend on their order: they are
// counted as integers in parts of a unit.
type spreading struct {
	n            int
	sum, squares uint128
	low, high    float64
	partsOfOne   float64
}

// uint128 is an unsigned number of 128 bits.
type uint128 struct{ high, low uint64 }

func (w *uint128) plus(high, low uint64) {
	var carry uint64
	w.low, carry = bits.Add64(w.low, low, 0)
	w.high, _ = bits.Add64(w.high, high, carry)
}

func (w *uint128) big() *big.Int {
	n := new(big.Int).SetUint64(w.high)
	return n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(w.low))
}

// newSpreading sums numbers with a resolution of 1/parts.
func newSpreading(parts float64) *spreading { return &spreading{partsOfOne: parts} }

// Resolutions. The largest number of each kind has less than 54 bits.
const (
	scoreParts = 1e9 // 0 to 1
	timeParts  = 1e3 // milliseconds
	moneyParts = 1e9 // US dollars
)

// mostParts is the largest number of parts; larger numbers count as that.
const mostParts = 1 << 53

func (s *spreading) add(n float64) {
	n = min(max(n, 0), chat.Most)
	parts := uint64(min(math.Round(n*s.partsOfOne), mostParts))
	if s.n == 0 {
		s.low, s.high = n, n
	}
	s.n++
	s.low, s.high = min(s.low, n), max(s.high, n)
	s.sum.plus(0, parts)
	high, low := bits.Mul64(parts, parts)
	s.squares.plus(high, low)
}

// total is the sum.
func (s *spreading) total() float64 {
	sum, _ := s.sum.big().Float64()
	return sum / s.partsOfOne
}

// spread returns the distribution; nil if nothing was added.
func (s *spreading) spread() *Spread {
	if s == nil || s.n == 0 {
		return nil
	}
	out := &Spread{N: s.n, Mean: tidy(s.total() / float64(s.n)), Low: s.low, High: s.high}
	if s.n > 1 {
		n, sum := big.NewInt(int64(s.n)), s.sum.big() // n·Σx² − (Σx)², exactly, then over n·(n−1)
		over := new(big.Int).Sub(new(big.Int).Mul(n, s.squares.big()), new(big.Int).Mul(sum, sum))
		times, _ := over.Float64()
		variance := times / float64(s.n) / float64(s.n-1)
		out.Deviation = new(tidy(math.Sqrt(variance) / s.partsOfOne))
	}
	return out
}

// tidy rounds to twelve decimal places, to remove rounding errors of sums.
func tidy(n float64) float64 {
	const digits = 1e12
	if n > 1e3 {
		return n
	}
	return math.Round(n*digits) / digits
}
