package evidence

import (
	"cmp"
	"slices"
)

// Discoveries selects p values so that the expected share of false ones among the selected is at most share. It is the
// procedure of Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate: a practical and powerful approach
// to multiple testing", Journal of the Royal Statistical Society B 57 (1995), 289-300.
func Discoveries(p []float64, share float64) []bool {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	found := make([]bool, len(p))
	for last := len(order); last > 0; last-- {
		if p[order[last-1]] <= share*float64(last)/float64(len(p))*(1+tie) {
			for _, i := range order[:last] {
				found[i] = true
			}
			break
		}
	}
	return found
}
