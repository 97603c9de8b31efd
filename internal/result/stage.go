package result

import (
	"fmt"

	"github.com/arena-evals/arena/internal/baseline"
	"github.com/arena-evals/arena/internal/evidence"
	"github.com/arena-evals/arena/internal/gate"
)

// Stage is a look at the first trials of a count that is compared with a baseline. The rest runs only if these look
// worse than the baseline. An early stop makes no claim, so it needs no correction: all trials are tested as if their
// number had been fixed.
type Stage struct {
	At int `json:"at"` // trials
	// Passed and Failed count trials of the baseline, and Rule is the rule that ended them.
	Passed int            `json:"passed"`
	Failed int            `json:"failed"`
	Rule   *baseline.Rule `json:"gate,omitempty"`
	// Red says that the group did not pass in the baseline. To be no worse is not enough to pass: only a run of all
	// trials makes it green.
	Red bool `json:"red,omitempty"`
}

// StageTrials is the number of first trials of a count without min.
const StageTrials = 5

// suspicion is the p value up to which the first trials look worse: few agents that became much worse are above it, and
// three of four unchanged ones are.
const suspicion = 0.25

// verdict is the status of a group whose first trials look no worse than the baseline. They cannot turn a red group
// green: there are too few.
func (s *Stage) verdict(first Status) Status {
	if s.Red && first == Passed {
		return Undecided
	}
	return first
}

// worse reports whether trials look worse than the baseline.
func (s *Stage) worse(c gate.Counts) bool {
	return evidence.Worse(evidence.Pair{
		Baseline:  sampled(s.Rule, gate.Counts{Passed: s.Passed, Failed: s.Failed}),
		Candidate: evidence.Sample{Stopping: gate.Fixed(c.N()), Fixed: true, Counts: c},
	}) <= suspicion
}

// staged reports whether the trials end after the first ones if these look no worse than the baseline.
func (s *GateSpec) staged() bool { return s.Stop == StopBaseline }

// checkStage refuses an invalid stage.
func (s *GateSpec) checkStage() error {
	switch {
	case s.staged() != (s.Stage != nil):
		return fmt.Errorf("stop is %q, and what the first trials are held against is there: %v", s.Stop, s.Stage != nil)
	case s.Stage == nil:
	case s.Rule != RuleCount:
		return fmt.Errorf("a %s does not stop by a baseline", s.Rule)
	case s.Stage.At < 1 || s.Stage.At >= s.Max || s.Stage.Passed < 0 || s.Stage.Failed < 0:
		return fmt.Errorf("a look after %d of %d trials, at %d and %d trials of a baseline: no such look", s.Stage.At, s.Max,
			s.Stage.Passed, s.Stage.Failed)
	}
	return nil
}
