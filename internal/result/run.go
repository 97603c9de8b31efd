package result

import (
	"time"
)

// Run is everything a report needs. The trials themselves stay on disk; Brief is kept for each of them.
type Run struct {
	SchemaVersion int       `json:"schema_version"`
	Arena         string    `json:"arena"` // version
	Name          string    `json:"name,omitempty"`
	Command       []string  `json:"-"` // words that run the same again, without filters; nil when not known
	Started       time.Time `json:"started"`
	DurationMS    float64   `json:"duration_ms"`
	Status        Status    `json:"status"`
	Planned       int       `json:"planned"` // trials in the plan
	Summary       Summary   `json:"summary"`
	Groups        []Group   `json:"groups,omitempty"` // those of more than one trial
	// Evals is the evals over all trials, by id.
	Evals    []EvalStats `json:"evals,omitempty"`
	Coverage []Coverage  `json:"coverage,omitempty"` // of each project that declares anything
	Warnings []string    `json:"warnings,omitempty"`
	// FailOn is what turns the exit status red besides failed assertions and errors, which always do.
	FailOn []string `json:"fail_on"`
	// ExitZero says that the exit status is to be 0 whatever the trials came to: a report only.
	ExitZero bool `json:"exit_zero,omitempty"`

	Resume []string `json:"-"` // words of the command that resumes the run; nil: it cannot be
	Spec   *Spec    `json:"-"` // what was asked of the run; nil: that is not known

	Briefs []Brief `json:"-"` // in plan order; only finished trials
	Trials Source  `json:"-"`

	decisive Counts // trials by the status that decides: their group's
}

// SchemaVersion of results.json and the journal.
const SchemaVersion = 1

// Source reads trials back. Implementations are safe for concurrent use.
type Source interface {
	// Trial returns the i-th trial of Run.Briefs.
	Trial(i int) (*Trial, error)
	// Raw returns the same trial as compact JSON, as it stands in results.json.
	Raw(i int) ([]byte, error)
}

// Summary is the totals.
type Summary struct {
	Counts
	Tolerated int        `json:"tolerated,omitempty"` // failed trials within their group's pass_threshold
	Before    int        `json:"before,omitempty"`    // trials that were kept from before the run was resumed
	Flaky     int        `json:"flaky,omitempty"`     // trials that failed before and pass now, although nothing changed
	Checks    CheckCount `json:"checks"`
	Usage     Usage      `json:"usage"`
	CostUSD   *float64   `json:"cost_usd"`            // null: no price is known
	Unpriced  int        `json:"unpriced,omitempty"`  // trials that the cost leaves out
	JudgeUSD  *float64   `json:"judge_usd,omitempty"` // what judges took; not part of the cost
	// Judges is what the judgements of all trials took, each of those that are identical once; nil when none were made.
	Judges *JudgeCost `json:"judges,omitempty"`
	// Guards counts the guardrails that fired; nil when none did.
	Guards *GuardCount `json:"guardrails,omitempty"`
	// Evals counts the results of evals; nil when there are none.
	Evals *EvalCount `json:"evals,omitempty"`
	// EvalsDispatched is how many evals were sent to be run elsewhere.
	EvalsDispatched int `json:"evals_dispatched,omitempty"`
}

// CheckCount is the verdicts by status.
type CheckCount struct {
	Total   int `json:"total"`
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Errors  int `json:"errors"`
	Skipped int `json:"skipped"`
	NotRun  int `json:"not_run"` // never evaluated: the conversation ended before
}

// Brief is what is kept in memory of a finished trial.
type Brief struct {
	Index      int // in the plan
	ID         string
	Scenario   string
	Provider   string
	Region     string
	Trial      int
	Trials     int
	File       string // of the scenario
	Line       int32
	Status     Status
	Turns      int
	Checks     CheckCount
	DurationMS float64
	Usage      Usage
	CostUSD    *float64
	Judges     *JudgeCost  // nil: nothing was judged by a model
	Guards     *GuardCount // nil: no guardrail fired
	Evals      *EvalCount  // nil: nothing was measured
	Tolerated  bool        // did not pass, but its group did
	Before     bool        // kept from before the run was resumed
	Gone       bool        // the same, and no part of the plan any more
	Flaky      bool        // failed before and passes now, although nothing changed
	Dispatched int         // evals that were sent to be run elsewhere
	Recording  string      // file of the conversation, where that was only judged
	Session    string      // its name there, where the scenario is about several
	TaskType   string      // of the prompt, as that of the trial
}

// Group is the trials of one scenario × provider × region, judged together.
type Group struct {
	key groupKey

	Scenario   string           `json:"scenario"`
	Provider   string           `json:"provider"`
	Region     string           `json:"region"`
	Status     Status           `json:"status"`
	Trials     int              `json:"trials"`
	Passed     int              `json:"passed"`
	PassRate   float64          `json:"pass_rate"`
	Flakiness  float64          `json:"flakiness"` // 1 - |2·rate - 1|
	Assertions []AssertionStats `json:"assertions"`
}

// AssertionStats is one assertion, or one eval that has a threshold, over the trials of a group that have one variant.
// It is known by its place, not by its type: two checks of one type do not mix.
type AssertionStats struct {
	Turn  int    `json:"turn"` // -1: conversation
	Index int    `json:"index"`
	Eval  string `json:"eval,omitempty"` // id; Index counts the results of the eval in the turn
	Step  string `json:"step,omitempty"` // of a composition, whose output the eval judged
	// Variant is what a perturbation changed: each variant has to reach the threshold by itself.
	Variant       map[string]string `json:"variant,omitempty"`
	Type          string            `json:"type"`
	Passed        int               `json:"passed"`
	Failed        int               `json:"failed"`
	Errors        int               `json:"errors"`
	Skipped       int               `json:"skipped"` // leave the rate
	PassRate      float64           `json:"pass_rate"`
	Flakiness     float64           `json:"flakiness"`
	PassThreshold float64           `json:"pass_threshold"`
	Status        Status            `json:"status"`
}
