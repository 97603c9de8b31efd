package junit

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
)

const (
	maxDetailed = 5  // failure modes shown with their conversation
	maxListed   = 50 // trials of one testcase that are read
)

// failureModes groups the failed trials of one testcase by how they failed, in the order of the first trial of each.
type failureModes struct {
	modes   []*failureMode
	byKey   map[string]*failureMode
	omitted int // trials that were not read
}

// failureMode is the trials that failed in the same way.
type failureMode struct {
	trials    []string // "trial #2"; empty for a group of one trial
	problems  string   // of the first trial
	exchanges string   // its conversation
}

// add records a trial. key is equal for trials that failed in the same way; text is called once for each key.
func (l *failureModes) add(key, trial string, texts func() (problems, exchange string)) {
	w := l.byKey[key]
	if w == nil {
		w = &failureMode{}
		if len(l.modes) < maxDetailed {
			w.problems, w.exchanges = texts()
		}
		if l.byKey == nil {
			l.byKey = map[string]*failureMode{}
		}
		l.byKey[key], l.modes = w, append(l.modes, w)
	}
	if trial != "" {
		w.trials = append(w.trials, trial)
	}
}

// problems says how the trials failed.
func (l *failureModes) problems() string {
	parts := make([]string, len(l.modes))
	for i, w := range l.modes {
		parts[i] = w.heading() + w.problems
	}
	text := strings.Join(parts, "\n")
	if l.omitted > 0 {
		text += fmt.Sprintf("\n… and %s that did not pass\n", show.Plural(l.omitted, "more trial"))
	}
	return text
}

// conversations returns the messages of one trial of each failure mode.
func (l *failureModes) conversations() string {
	var parts []string
	for _, w := range l.modes {
		if w.exchanges != "" {
			parts = append(parts, w.heading()+w.exchanges)
		}
	}
	return strings.Join(parts, "\n")
}

// heading names the trials; "" for a group of one trial.
func (w *failureMode) heading() string {
	if len(w.trials) == 0 {
		return ""
	}
	return strings.Join(w.trials, ", ") + ":\n"
}
