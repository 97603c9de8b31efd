package diag

import (
	"slices"
	"strings"
)

// Nearest returns the known name closest to a misspelled one, or "" when none is close. Differences in case and in the
// separators - _ . and space count little. A known name that continues the misspelled one, as max_cost_usd continues
// max_cost, is nearer than others. Ties go to the name that sorts first.
func Nearest(name string, known []string) string {
	best, bestCost := "", (len(name)+1)/2+1
	names := slices.Clone(known)
	slices.Sort(names)
	folded := fold(name)
	for _, k := range names {
		if k == name || k == "" {
			continue
		}
		cost := distance(folded, fold(k))
		if len(folded) > 3 && strings.HasPrefix(fold(k), folded+"_") {
			cost = min(cost, 2)
		}
		if cost < bestCost && cost <= max(len(k)/2, 1) {
			best, bestCost = k, cost
		}
	}
	return best
}

// DidYouMean is Nearest as a hint, or "" when there is none.
func DidYouMean(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return `did you mean "` + near + `"?`
	}
	return ""
}

var separators = strings.NewReplacer("-", "_", " ", "_", ".", "_")

func fold(s string) string {
	return strings.Trim(separators.Replace(strings.ToLower(s)), "_")
}

// distance is the optimal string alignment distance: insert, delete, replace, and swap of two neighbours
// (https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > 64 || len(t) > 64 {
		return 1 << 20 // too long for a typing mistake; and the input may be hostile
	}
	rows := [3][]int{make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(s); i++ {
		before, prev, cur := rows[0], rows[1], rows[2]
		cur[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		rows[0], rows[1], rows[2] = prev, cur, before
	}
	return rows[1][len(t)]
}
