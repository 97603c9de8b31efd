package junit

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
)

const (
	maxDetailed = 5  // ways to fail that are told with their conversation
	maxListed   = 50 // trials of one testcase that are looked at
)

// telling gathers what the trials of one testcase have to say; trials that failed alike say it once.
type telling struct {
	ways  []*way
	known map[string]*way
	more  int // trials that were left out
}

// way is one way to fail.
type way struct {
	trials []string // "trial #2"; none for a trial that is alone
	text   string   // of the first of them
}

// add notes a trial. key is equal for trials that failed alike; text is asked for once for each key.
func (l *telling) add(key, trial string, text func() string) {
	w := l.known[key]
	if w == nil {
		w = &way{}
		if len(l.ways) < maxDetailed {
			w.text = text()
		}
		if l.known == nil {
			l.known = map[string]*way{}
		}
		l.known[key], l.ways = w, append(l.ways, w)
	}
	if trial != "" {
		w.trials = append(w.trials, trial)
	}
}

func (l *telling) String() string {
	var b strings.Builder
	for i, w := range l.ways {
		if i > 0 {
			b.WriteString("\n")
		}
		if len(w.trials) > 0 {
			b.WriteString(strings.Join(w.trials, ", ") + ":\n")
		}
		b.WriteString(w.text)
	}
	if l.more > 0 {
		fmt.Fprintf(&b, "\n… and %s that did not pass\n", show.Plural(l.more, "more trial"))
	}
	return b.String()
}
