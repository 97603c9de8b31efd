package calibrate

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/node"
)

// The words for the two classes. Numbers are scores; 1 and 0 need no threshold.
var (
	passWords = []string{"pass", "passed", "true", "yes", "y", "good", "correct"}
	failWords = []string{"fail", "failed", "false", "no", "n", "bad", "incorrect"}
)

// label reads a person's label.
func (r *labelReader) label(e *Example, n *node.Node) {
	text, ok := r.Name(n, "label")
	if !ok {
		return
	}
	word := strings.ToLower(strings.TrimSpace(text))
	switch {
	case slices.Contains(passWords, word):
		e.Pass = true
		return
	case slices.Contains(failWords, word):
		return
	}
	score, err := strconv.ParseFloat(word, 64)
	switch {
	case err != nil || math.IsNaN(score):
		r.Errorf(n, "unknown-value", "label cannot be %q; expected pass or fail, true or false, or a score from 0 to 1", text)
	case score < 0 || score > 1:
		r.Errorf(n, "out-of-range", "label must be between 0 and 1, found %s", text)
	case r.threshold != nil:
		e.Score, e.Pass = &score, score >= *r.threshold
	case score == 0 || score == 1:
		e.Pass = score == 1
	default:
		r.Errorf(n, "missing-threshold", "the label %s is a score", text).
			Hint = "say from which score on a text passes: --threshold 0.7"
	}
}
