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
	trials  []string // "trial #2"; empty for a group of one trial
	details string   // of the first trial
}

// add records a trial. key is equal for trials that failed in the same way; text is called once for each key.
func (l *failureModes) add(key, trial string, text func() string) {
	w := l.byKey[key]
	if w == nil {
		w = &failureMode{}
		if len(l.modes) < maxDetailed {
			w.details = text()
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

func (l *failureModes) String() string {
	var b strings.Builder
	for i, w := range l.modes {
		if i > 0 {
			b.WriteString("\n")
		}
		if len(w.trials) > 0 {
			b.WriteString(strings.Join(w.trials, ", ") + ":\n")
		}
		b.WriteString(w.details)
	}
	if l.omitted > 0 {
		fmt.Fprintf(&b, "\n… and %s that did not pass\n", show.Plural(l.omitted, "more trial"))
	}
	return b.String()
}
