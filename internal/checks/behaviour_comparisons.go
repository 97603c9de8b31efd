package checks

import (
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/say"
)

// Comparisons of a run with a declared outcome.

// nothingToCompare is the finding of a comparison without an expected value.
func nothingToCompare(param string) Finding {
	return Finding{
		Score: 1, Explanation: "nothing to compare with: " + param + " is not given", Details: Details{},
	}
}

// warnComparand warns when the expected value is missing, and of parameters that belong to another comparison. choice
// is the parameter that chooses the comparison, and chosen its value. comparands maps such values to the parameter with
// the expected value.
func warnComparand(b *binder, choice, chosen string, comparands map[string]string) {
	own := comparands[chosen]
	if own == "" {
		return
	}
	for _, what := range slices.Sorted(maps.Keys(comparands)) {
		if other := comparands[what]; other != own && b.read[other] != nil {
			b.warnf(other, "ignored-parameter", "%q has no effect with %s: %s", other, choice, chosen)
		}
	}
	if b.read[own] == nil {
		b.warnf(choice, "vacuous-check", "there is nothing to compare with, so any reply passes").Hint =
			"give " + own
	}
}

// sameTools compares the names of the tools called, each once, in any order.
func sameTools(calls []Call, expected []string) Finding {
	called := callNames(calls)
	missing, unexpected := without(expected, called), without(called, expected)
	f := Finding{Score: 1, Explanation: "called: " + say.Chained(called), Details: Details{
		"expected": expected, "actual": called, "missing_tools": missing, "unexpected_tools": unexpected,
	}}
	if len(missing)+len(unexpected) == 0 {
		return f
	}
	f.Score, f.Explanation = 0, ""
	if len(missing) > 0 {
		f.Explanation = "not called: " + say.Chained(missing)
	}
	if len(unexpected) > 0 {
		if f.Explanation != "" {
			f.Explanation += "; "
		}
		f.Explanation += "not expected: " + say.Chained(unexpected)
	}
	return f
}

// without lists the names that are not among others, each once.
func without(names, others []string) []string {
	seen := make(map[string]bool, len(others))
	for _, name := range others {
		seen[name] = true
	}
	rest := []string{}
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			rest = append(rest, name)
		}
	}
	return rest
}

// sameState compares the current state of the workflow.
func sameState(w *Workflow, expected string) (Finding, error) {
	if w == nil {
		return Finding{}, errNoWorkflow
	}
	f := Finding{Explanation: w.current(), Details: Details{"expected": expected, "actual": w.Current}}
	if w.Current == expected {
		f.Score = 1
	} else {
		f.Explanation += ", expected " + expected
	}
	return f, nil
}
