package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/result"
)

// warningSet holds the warnings of a trial until its end, each once, in the order in which they were added.
type warningSet []string

func (w *warningSet) add(text string) {
	if !slices.Contains(*w, text) {
		*w = append(*w, text)
	}
}

// pendingWarnings are those of a trial that are reported when it ends, since what happens until then may settle them.
type pendingWarnings struct {
	doubts     []doubt    // of replies
	ofVerdicts warningSet // reported first
	others     warningSet
	byFailures []failedMeans // that checks held
	overspent  string        // see toolLoop.keepOverspent
	generic    bool          // a reply was a generic text of the mock, of which there is a warning
}

// warnOnce keeps a warning for the end of the trial.
func (s *session) warnOnce(text string) { s.pending.others.add(text) }

// warnOfVerdict keeps a warning about a verdict or a check. It is reported before the other warnings of the trial.
func (s *session) warnOfVerdict(text string) { s.pending.ofVerdicts.add(text) }

// report adds the warnings to those of the trial. With --strict the first one makes a trial without an error one.
func (s *session) report(w warningSet) {
	s.out.Warnings = append(s.out.Warnings, w...)
	if len(w) > 0 && s.opts.Strict && s.out.Error == "" && s.out.Status != result.Cancelled {
		s.out.Error = w[0]
	}
}
