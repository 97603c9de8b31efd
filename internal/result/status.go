// Package result holds the results of a run: trials, turns, verdicts, and the one place that folds them into pass or
// fail. Reports read it and decide nothing.
package result

import (
	"encoding/json"
	"fmt"
)

// Status is the outcome of a check, a trial, a group or a run. The zero value is Unset, which is not a pass.
type Status uint8

// The statuses, from best to worst except Unset.
const (
	Unset     Status = iota
	Passed           // all requirements hold
	Skipped          // not evaluated: a condition did not hold
	Cancelled        // not finished: the user or --fail-fast stopped the run
	Undecided        // of groups: the trials show neither that enough pass nor that too few do
	Errored          // could not be judged: arena, a provider or the network failed
	Failed           // a requirement does not hold
)

var statusNames = [...]string{"unset", "passed", "skipped", "cancelled", "undecided", "error", "failed"}

// Statuses returns all statuses of trials and runs but Unset, from best to worst. No trial is Undecided.
func Statuses() []Status { return []Status{Passed, Skipped, Cancelled, Undecided, Errored, Failed} }

func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("status(%d)", s)
}

// MarshalJSON writes the word. Unset is an error: no trial may end without a status.
func (s Status) MarshalJSON() ([]byte, error) {
	if s == Unset || int(s) >= len(statusNames) {
		return nil, fmt.Errorf("status %s cannot be reported", s)
	}
	return json.Marshal(s.String())
}

// UnmarshalJSON reads the word.
func (s *Status) UnmarshalJSON(b []byte) error {
	for i, name := range statusNames {
		if i > 0 && len(b) == len(name)+2 && b[0] == '"' && string(b[1:len(b)-1]) == name {
			*s = Status(i)
			return nil
		}
	}
	var word string
	if json.Unmarshal(b, &word) != nil {
		return fmt.Errorf("unknown status %s", b)
	}
	for i, name := range statusNames {
		if i > 0 && name == word {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("unknown status %q", word)
}

// worse returns the worse of two statuses: failed, then error, undecided, cancelled, passed and skipped. The fold is
// skipped only if everything is.
func worse(a, b Status) Status {
	if weight[b] > weight[a] {
		return b
	}
	return a
}

var weight = [...]int{Unset: 0, Skipped: 1, Passed: 2, Cancelled: 3, Undecided: 4, Errored: 5, Failed: 6}
