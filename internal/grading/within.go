package grading

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// againstScore is what an answer says against its score: by a field of its own, or by what it lists beside it.
func (a answer) againstScore(score float64) string {
	if said := a.contradiction(); said != "" {
		return said
	}
	for _, key := range slices.Sorted(maps.Keys(a.members())) {
		v := a.members()[key]
		if says := faultsListed(key, v) && score >= 1 || belowScore(key, v, score); says {
			return spelt(failure.Mark{Key: key, Value: v})
		}
	}
	return ""
}

// faultsListed reports whether a field lists faults, which what has the full score has not.
func faultsListed(key string, v any) bool {
	switch jsonvalue.FoldKey(key) {
	case "issues", "violations", "problems", "failures", "faults", "issuesfound", "violationsfound", "problemsfound",
		"failedcriteria", "unmetcriteria", "violatedrules", "missingcriteria":
	default:
		return false
	}
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(one any) bool { return !saysNone(one) })
	case json.Number:
		n, err := v.Float64()
		return err == nil && n > 0
	case string:
		return !saysNone(v)
	}
	return false
}

// saysNone reports whether a text says that there is nothing, such as "No issues found".
func saysNone(v any) bool {
	text, isText := v.(string)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r == ' ' || r == '.' || r == '/' ||
			r == '-'
	})
	if !isText || len(words) == 0 {
		return v == nil || isText
	}
	return slices.Contains([]string{"no", "none", "nothing", "n", "na", "nil", "null", "0", "keine", "aucun",
		"aucune", "ninguno"},
		words[0])
}

// belowScore reports whether a field holds grades of parts that are all below the score of the whole, or says of a part
// that it does not pass where the whole has the full score.
func belowScore(key string, v any, score float64) bool {
	switch jsonvalue.FoldKey(key) {
	case "scores", "subscores", "criteria", "criteriascores", "breakdown", "dimensions", "checks", "assessments",
		"ratings",
		"perscores", "rubric", "items":
	default:
		return false
	}
	var grades []float64
	failing := false
	read := func(one any) {
		switch one := one.(type) {
		case json.Number:
			if n, err := one.Float64(); err == nil {
				grades = append(grades, n)
			}
		case jsonvalue.Object:
			_, stance := failure.BesideScore(one)
			failing = failing || stance == failure.Against
			if n, ok := one["score"].(json.Number); ok {
				if f, err := n.Float64(); err == nil {
					grades = append(grades, f)
				}
			}
		}
	}
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			read(one)
		}
	case jsonvalue.Object:
		for _, one := range v {
			read(one)
		}
	}
	const rounded = 0.05
	return failing && score >= 1 || len(grades) > 0 && slices.Min(grades) >= 0 && slices.Max(grades)+rounded < score
}
