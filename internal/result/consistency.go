package result

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// CheckConsistency returns an error if a trial, read from raw, contradicts itself about what passed: an edited file
// might hide a failure.
func (t *Trial) CheckConsistency(raw []byte) error { return t.checkConsistency(raw, false) }

// checkConsistency is CheckConsistency. distinct: raw is known to have no duplicate keys.
func (t *Trial) checkConsistency(raw []byte, distinct bool) (err error) {
	if !distinct {
		if key, twice := jsonvalue.KeyTwice(raw); twice {
			return fmt.Errorf("has an object with the key %q twice", key)
		}
	}
	disagrees := func(passes, passed bool) bool { return passes != passed && (passed || saysNotPassed(raw)) }
	t.Checks(func(turn, i int, v *Verdict) {
		if disagrees(v.Status == Passed || v.Status == Skipped, v.Passed) && err == nil {
			err = fmt.Errorf("%s has the status %s and passed: %v", placeOfVerdict(turn, i), v.Status, v.Passed)
		}
		if why := v.disagrees(); why != "" && err == nil {
			err = fmt.Errorf("%s %s", placeOfVerdict(turn, i), why)
		}
	})
	for i := range t.Evals {
		if why := t.Evals[i].disagrees(); why != "" && err == nil {
			err = fmt.Errorf("eval_results[%d] %s", i, why)
		}
	}
	switch status := t.settled(); {
	case err != nil:
		return err
	case status != t.Status:
		return fmt.Errorf("has the status %s, and what is in it makes it %s", t.Status, status)
	case disagrees(t.Status == Passed, t.Passed):
		return fmt.Errorf("has the status %s and passed: %v", t.Status, t.Passed)
	case t.Flaky != (t.Status == Passed && len(t.Earlier) > 0):
		return fmt.Errorf("has flaky: %v with %d earlier attempts and the status %s", t.Flaky, len(t.Earlier), t.Status)
	case t.Trials < t.Trial && !t.Replacement:
		return fmt.Errorf("is number %d of %d trials", t.Trial, t.Trials)
	case t.Rejected && t.Status != Errored:
		return fmt.Errorf("is rejected and has the status %s", t.Status)
	case t.Excused && !t.Gone:
		return errors.New("is excused and not gone")
	}
	return nil
}

// saysNotPassed reports whether something says that it has not passed: that may be left out.
func saysNotPassed(raw []byte) bool {
	return bytes.Contains(raw, []byte(`"passed":false`)) || bytes.Contains(raw, []byte(`"passed": false`))
}

func placeOfVerdict(turn, i int) string {
	if turn < 0 {
		return fmt.Sprintf("conversation_assertions[%d]", i)
	}
	return fmt.Sprintf("turns[%d].assertions[%d]", turn, i)
}

// disagrees describes how a verdict contradicts itself; "": it does not.
func (v *Verdict) disagrees() string {
	if v.Skipped && v.Status != Skipped {
		return fmt.Sprintf("has the status %s and skipped: true", v.Status)
	}
	return wrongPass(v.Status, v.Score, v.Error, v.MinScore, v.MaxScore)
}

// disagrees describes how an eval result contradicts itself; "": it does not.
func (e *EvalResult) disagrees() string {
	if e.Status == Passed && e.Skipped {
		return "has the status passed and skipped: true"
	}
	return wrongPass(e.Status, e.Score, e.Error, e.MinScore, e.MaxScore)
}

// tolerance is how far a score may miss its limit and still reach it. Checks use a smaller value.
const tolerance = 1e-6

// wrongPass says why a passed result cannot have passed; "": it can.
func wrongPass(status Status, score *float64, broke string, least, most *float64) string {
	switch {
	case status != Passed:
		return ""
	case broke != "":
		return "has the status passed and an error"
	case score == nil:
		return "has the status passed and no score"
	case least != nil && *score < *least-tolerance, most != nil && *score > *most+tolerance:
		return fmt.Sprintf("has the status passed and the score %g, which is beyond its limits", *score)
	}
	return ""
}
