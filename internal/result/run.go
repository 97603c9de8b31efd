package result

import (
	"time"
)

// Run is everything that a report needs. The trials stay on disk; the run has a Brief for each of them.
type Run struct {
	SchemaVersion int       `json:"schema_version"`
	Arena         string    `json:"arena"` // version
	Name          string    `json:"name,omitempty"`
	Command       []string  `json:"-"` // repeats the run, without filters; nil: not known
	Started       time.Time `json:"started"`
	DurationMS    float64   `json:"duration_ms"`
	Status        Status    `json:"status"`  // with fail_on; see Settle
	Planned       int       `json:"planned"` // trials in the plan
	Summary       Summary   `json:"summary"`
	Groups        []Group   `json:"groups,omitempty"` // groups of more than one trial
	// Evals are the statistics of evals over all trials, by id.
	Evals []EvalStats `json:"evals,omitempty"`
	// Datasets are the statistics of datasets over their rows, in plan order.
	Datasets []DatasetStats `json:"datasets,omitempty"`
	Coverage []Coverage     `json:"coverage,omitempty"` // of each project with declarations
	// Against is the comparison with a baseline; nil: none.
	Against *Against `json:"baseline,omitempty"`
	// Quarantines are those of scenarios with trials in the run.
	Quarantines []Quarantine `json:"quarantine,omitempty"`
	// Declared are the names that each project declared, for later judgements of the run; nil: not known.
	Declared []Declared `json:"declared,omitempty"`
	Warnings []string   `json:"warnings,omitempty"`
	// FailOn are the reasons for a red exit status besides failed assertions and errors, which always count.
	FailOn []string `json:"fail_on"`
	// ExitZero says that the exit status is always 0, whatever the status of the trials.
	ExitZero bool `json:"exit_zero,omitempty"`
	// Shard says which part of a plan the run is; nil: the whole.
	Shard *Shard `json:"shard,omitempty"`
	// Merged says that the run was merged from shards; nil: it was not.
	Merged *Merged `json:"merged,omitempty"`

	// OverBudget is why trials did not run because of the limit of costs; "": none.
	OverBudget string   `json:"-"`
	MayCostUSD float64  `json:"-"` // the highest estimate of their costs; 0: none, or not known
	Resume     []string `json:"-"` // resumes the run; nil: it cannot be resumed
	Spec       *Spec    `json:"-"` // options of the run; nil: not known
	Replayed   bool     `json:"-"` // cassettes answered; false: they did not, or not known
	Basis      *Basis   `json:"-"` // the baseline; nil: none, or as Against says
	// Notices are the notices of trials, with the number of trials each.
	Notices map[string]int `json:"-"`
	// HeaderLost: see JournalContent.
	HeaderLost bool `json:"-"`
	LeftOut    int  `json:"-"` // lines of its journal that could not be used and were not replaced later

	Briefs *Briefs `json:"-"` // in plan order; only finished trials
	Trials Source  `json:"-"`

	decisive  Counts // trials by the status of their group
	undecided int    // undecided groups that may not be
	allowed   int    // undecided groups that may be
	cut       int    // groups undecided because a limit or an interrupt ended the run
	excused   int    // groups that do not count
	missing   int    // planned trials that did not finish and are not known
	folded    bool   // set by a collector
}

// Unfinished is the number of planned trials without a verdict: stopped, or never started. Trials that no verdict
// needed do not count.
func (r *Run) Unfinished() int {
	if !r.folded {
		return max(r.Planned-r.Summary.Trials, 0) + r.Summary.Cancelled
	}
	return r.missing + r.Summary.Cancelled
}

// MissingSingle is Unfinished without the trials of groups that may end early, which report missing trials themselves.
func (r *Run) MissingSingle() int {
	there := make([]int, len(r.Groups))
	for _, b := range r.Briefs.All() {
		if b.Group >= 0 && !b.Gone {
			there[b.Group]++
		}
	}
	missing := r.Planned - r.Briefs.Len()
	for i := range r.Groups {
		if g := r.Groups[i].Gate; g != nil && g.Early() {
			missing -= g.Max - there[i]
		}
	}
	return max(missing, 0)
}

// SchemaVersion of results.json and the journal.
const SchemaVersion = 1

// Source reads trials back. Implementations are safe for concurrent use.
type Source interface {
	// Trial returns the i-th trial of Run.Briefs.
	Trial(i int) (*Trial, error)
	// Raw returns the same trial as compact JSON, as in results.json.
	Raw(i int) ([]byte, error)
}

// Summary is the totals of a run.
type Summary struct {
	Counts
	Tolerated int `json:"tolerated,omitempty"` // failed trials whose group passed
	Known     int `json:"known,omitempty"`     // failed trials of groups that also failed in the baseline
	// Quarantined are failed trials of scenarios in quarantine.
	Quarantined int `json:"quarantined,omitempty"`
	Replaced    int `json:"replaced,omitempty"` // trials that the provider refused, and others replaced
	// Groups counts groups by status; nil: all have one trial.
	Groups *GroupCounts `json:"groups,omitempty"`
	// Undecided counts groups without a verdict. Allowed are those that do not make the run red.
	Undecided int `json:"undecided,omitempty"`
	Allowed   int `json:"undecided_allowed,omitempty"`
	// SuiteRate is the mean of the rates of groups; nil: all have one trial.
	SuiteRate *SuiteRate `json:"suite_rate,omitempty"`
	// NotNeeded are planned trials that no verdict needed.
	NotNeeded int        `json:"not_needed,omitempty"`
	Before    int        `json:"before,omitempty"` // kept trials of a resumed run
	Flaky     int        `json:"flaky,omitempty"`  // trials that failed before and pass now without a change
	Checks    CheckCount `json:"checks"`
	Usage     Usage      `json:"usage"`
	CostUSD   *float64   `json:"cost_usd"` // null: no price is known
	// SimulatedUSD is the simulated part of the cost: mocks made it up and nobody paid it.
	SimulatedUSD float64  `json:"simulated_usd,omitempty"`
	Unpriced     int      `json:"unpriced,omitempty"`  // trials without a known price, which the cost leaves out
	JudgeUSD     *float64 `json:"judge_usd,omitempty"` // cost of judges; not part of the cost
	// Judges is the cost of all judgements, identical ones counted once; nil when there are none.
	Judges *SideCost `json:"judges,omitempty"`
	// Users is the cost of the models that played users; not part of the cost. nil when there were none.
	Users *SideCost `json:"users,omitempty"`
	// Context is the cost of models that context policies called; not part of the cost. nil when there were none.
	Context *SideCost `json:"context,omitempty"`
	// Guards counts the guardrails that fired; nil when none did.
	Guards *GuardCount `json:"guardrails,omitempty"`
	// Refused counts the transitions of workflows that were refused.
	Refused int `json:"refused_transitions,omitempty"`
	// Evals counts the results of evals; nil when there are none.
	Evals *EvalCount `json:"evals,omitempty"`
	// EvalsDispatched counts the evals that were sent to workers.
	EvalsDispatched int `json:"evals_dispatched,omitempty"`
}

// CheckCount counts verdicts by status.
type CheckCount struct {
	Total   int `json:"total"`
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Errors  int `json:"errors"`
	Skipped int `json:"skipped"`
	NotRun  int `json:"not_run"` // not evaluated: the conversation ended earlier
}

// Brief is the part of a finished trial that is kept in memory. Briefs share values: they must not be changed.
type Brief struct {
	*BriefShared // never nil
	*BriefRare   // never nil
	*BriefRow    // never nil

	Index      int // in the plan
	ID         string
	Trial      int
	Asked      string // see Trial
	DurationMS float64
	CostUSD    *float64
	Usage      *Usage      // shared
	Checks     *CheckCount // shared
	Turns      int32
	Group      int32       // index in Run.Groups; -1: no group of several trials
	Quarantine *Quarantine // of its scenario; nil: none
	Status     Status
	Tolerated  bool   // failed, but its group passed
	Outvoted   bool   // did not pass, but its group passed or may be undecided
	Rejected   bool   // the provider refused it, and another trial replaces it
	Uncounted  bool   // not part of the verdict of its group
	Known      bool   // failed, and its group also failed in the baseline
	Before     bool   // kept by a resumed run
	Gone       bool   // kept, but no longer in the plan
	Flaky      bool   // failed before and passes now without a change
	OverBudget bool   // not run because of the limit of costs
	Excuse     string // why a trial that did not pass does not make the run red; "": it does, or its group tolerates it
}

// BriefShared is what the trials of a scenario or a row with one provider share.
type BriefShared struct {
	Scenario   string
	Provider   string
	Region     string
	Trials     int
	File       string // of the scenario
	Line       int32
	Simulated  bool   // a mock answered; nobody paid the cost
	Gated      bool   // its group may end early
	Pooled     bool   // all rows of its dataset are one group
	Repeatable bool   // see Trial
	Recording  string // file of a recorded conversation
	TaskType   string // of the prompt
}

// BriefRow is the part of a Brief for rows and sessions.
type BriefRow struct {
	Row     string  // id of the row of the dataset; "": none
	Session string  // name of the session in a recording with several; or the Row
	Score   float64 // of a row: mean score of checks and evals for which higher is better
	Scored  int32   // number of checks and evals in Score; 0: no score
}

// BriefRare is the part of a Brief that few trials have.
type BriefRare struct {
	Judges     *SideCost   // nil: no model judged
	Users      *SideCost   // nil: no model played a user
	Context    *SideCost   // nil: no context policy called a model
	Earlier    Earlier     // in no sum of costs
	Guards     *GuardCount // nil: no guardrail fired
	Refused    int         // transitions that were refused
	Evals      *EvalCount  // nil: nothing was measured
	Dispatched int         // number of evals that were sent to workers
	Failing    []string    // names of the checks that failed
}

// Group is the trials of one scenario × provider × region, or of one row of its dataset, judged together.
type Group struct {
	key groupKey

	File     string `json:"file,omitempty"` // of the scenario
	Scenario string `json:"scenario"`
	Provider string `json:"provider"`
	Region   string `json:"region"`
	Row      string `json:"row,omitempty"` // id of the row of the dataset; each is a group
	Status   Status `json:"status"`
	// Quarantined says that the group does not count: its scenario is in quarantine.
	Quarantined bool             `json:"quarantined,omitempty"`
	Trials      int              `json:"trials"`
	Passed      int              `json:"passed"`
	PassRate    float64          `json:"pass_rate"`
	Flakiness   float64          `json:"flakiness"` // 1 - |2·rate - 1|
	Gate        *Gate            `json:"gate,omitempty"`
	Assertions  []AssertionStats `json:"assertions"`
}

// GroupCounts counts groups by status.
type GroupCounts struct {
	Groups    int `json:"groups"`
	Passed    int `json:"passed"`
	Failed    int `json:"failed"`
	Undecided int `json:"undecided"`
	Errors    int `json:"errors"`
	Skipped   int `json:"skipped"`
	Cancelled int `json:"cancelled"`
}

// SuiteRate is a rate with its error bar, for the noise of trials only, since the groups are the whole suite. Groups
// have bars with their own confidence.
type SuiteRate struct {
	Rate       float64 `json:"rate"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence"` // of each end
}

// AssertionStats are the statistics of one assertion, or of one eval with a threshold, over the trials of a group with
// one variant. Assertions are identified by place, so that two checks of one type stay separate.
type AssertionStats struct {
	// Turn is the index of the turn of the scenario, which may have become several turns; -1: conversation. For evals
	// it is the index of the turn in the conversation.
	Turn  int    `json:"turn"`
	Index int    `json:"index"`
	Eval  string `json:"eval,omitempty"` // id; Index is the number of the result within the turn
	Step  string `json:"step,omitempty"` // step of a composition whose output the eval judged
	// Variant are the variables of a perturbation. Each variant has to reach the threshold.
	Variant       map[string]string `json:"variant,omitempty"`
	Type          string            `json:"type"`
	Passed        int               `json:"passed"`
	Failed        int               `json:"failed"`
	Errors        int               `json:"errors"`
	Skipped       int               `json:"skipped"` // not part of the rate
	PassRate      float64           `json:"pass_rate"`
	Low           float64           `json:"low"` // of the error bar of the rate
	High          float64           `json:"high"`
	Flakiness     float64           `json:"flakiness"`
	PassThreshold float64           `json:"pass_threshold"`
	Status        Status            `json:"status"`
}
