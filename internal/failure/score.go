package failure

import (
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Stance says how other members of an object agree with its score.
type Stance int

const (
	Silent   Stance = iota // it says nothing
	Against                // what was scored is not good enough, whatever the score
	Unjudged               // nothing was judged, so that the score means nothing
)

// BesideScore finds members that contradict the score of an object. Members that say that nothing was judged have
// precedence.
func BesideScore(o jsonvalue.Object) (found Mark, stance Stance) {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if s := stanceOf(key, o[key]); s > stance {
			found, stance = Mark{Key: key, Value: o[key]}, s
		}
	}
	return found, stance
}

func stanceOf(key string, v any) Stance {
	switch folded := jsonvalue.FoldKey(key); folded {
	case "skipped", "notevaluated", "notjudged", "refusal", "refused":
		return when(Indicates(v), Unjudged)
	case "uncertain":
		return when(Indicates(v), Against)
	case "errors", "failed": // may be those of what was scored
		_, is := mark(key, v)
		return when(is, Against)
	case "status", "state", "outcome":
		word := wordOf(v)
		if unjudged[word] {
			return Unjudged
		}
		if word == "" {
			break
		}
		return when(negative[word], Against)
	case "success", "succeeded", "ok", "pass", "passed", "valid", "isvalid", "safe", "issafe", "accept", "accepted",
		"acceptable", "approved", "correct", "iscorrect", "compliant", "satisfied", "meetscriteria", "criteriamet":
		word := wordOf(v)
		return when(v == false || word == "false" || word == "no" || negative[word], Against)
	case "verdict", "result", "decision", "judgment", "judgement", "conclusion", "grade":
		word := wordOf(v)
		return when(negative[word] || word == "f" && folded == "grade", Against)
	}
	_, is := mark(key, v)
	return when(is, Unjudged)
}

func when(is bool, s Stance) Stance {
	if is {
		return s
	}
	return Silent
}

func wordOf(v any) string {
	word, _ := v.(string)
	return strings.ToLower(strings.TrimSpace(word))
}

// unjudged are states of a judge that did not come to its end. negative are words for what is not good enough.
var (
	unjudged = map[string]bool{
		"error": true, "errored": true, "exception": true, "skipped": true, "timeout": true, "timed_out": true,
		"aborted": true, "cancelled": true, "canceled": true, "incomplete": true,
	}
	negative = map[string]bool{
		"fail": true, "failed": true, "failure": true, "failing": true, "reject": true, "rejected": true, "denied": true,
		"unacceptable": true, "incorrect": true, "invalid": true, "unsafe": true, "not passed": true, "not_passed": true,
	}
)
