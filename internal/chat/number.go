package chat

import (
	"encoding/json"
	"math"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// maxDigits of a number that is still worked with; a float64 needs 309 for its largest value.
const maxDigits = 800

// Unwieldy finds a number in decoded JSON that could not be worked with exactly in reasonable time: schema validators
// compute with fractions, and 1e999999 has a million digits.
func Unwieldy(v any) (number string, found bool) {
	for leaf := range jsonvalue.Leaves(v) {
		x, is := leaf.(json.Number)
		if !is {
			continue
		}
		f, err := x.Float64()
		if err != nil || math.IsInf(f, 0) || len(x) > maxDigits {
			return x.String(), true
		}
	}
	return "", false
}
