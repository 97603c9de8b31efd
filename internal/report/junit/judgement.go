package junit

import (
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// gradedProperties are the properties of a check that a model graded; nil for other checks.
func gradedProperties(v *result.Verdict) []property {
	if len(v.Judgements) == 0 {
		return nil
	}
	var all []property
	number := func(name string, n *float64) {
		if n != nil {
			all = append(all, property{name, strconv.FormatFloat(*n, 'g', -1, 64)})
		}
	}
	number("score", v.Score)
	number("min_score", v.MinScore)
	number("max_score", v.MaxScore)
	return append(all, property{"judge", show.JudgeLabel(&v.Judgements[0])})
}

// judgementText says why a model passed a check; "" for a check that no model graded.
func judgementText(v *result.Verdict) string {
	lines := (show.Problem{Verdict: v}).JudgeLines()
	if len(lines) == 0 {
		return ""
	}
	if v.Explanation != "" {
		lines = append([]string{show.Line(v.Explanation)}, lines...)
	}
	for i := range lines {
		lines[i] = show.Clip(lines[i], maxText)
	}
	return strings.Join(lines, "\n") + "\n"
}
