package result

import (
	"time"
)

// Run is everything that a report needs. The trials stay on disk; the run has a Brief for each of them.
type Run struct {
	SchemaVersion int       `json:"schema_version"`
	Arena         string    `json:"arena"` // version
	Name          string    `json:"name,omitempty"`
	Command       []string  `json:"-"` // command that runs the same again, without filters; nil when not known
	Started       time.Time `json:"started"`
	DurationMS    float64   `json:"duration_ms"`
	Status        Status    `json:"status"`  // what fail_on adds included; see Settle
	Planned       int       `json:"planned"` // trials in the plan
	Summary       Summary   `json:"summary"`
	Groups        []Group   `json:"groups,omitempty"` // groups of more than one trial
	// Evals are the statistics of evals over all trials, by id.
	Evals []EvalStats `json:"evals,omitempty"`
	// Datasets are the statistics of datasets over their rows, in plan order.
	Datasets []DatasetStats `json:"datasets,omitempty"`
	Coverage []Coverage     `json:"coverage,omitempty"` // of each project with declarations
	// Against is what the run shows beside a baseline; nil: it was held against none.
	Against *Against `json:"baseline,omitempty"`
	// Quarantines are those of the scenarios that the run has trials of.
	Quarantines []Quarantine `json:"quarantine,omitempty"`
	// Declared are the names that each project declared, for later judgements of the run; nil: not known.
	Declared []Declared `json:"declared,omitempty"`
	Warnings []string   `json:"warnings,omitempty"`
	// FailOn are the reasons for a red exit status besides failed assertions and errors, which always count.
	FailOn []string `json:"fail_on"`
	// ExitZero says that the exit status is always 0, whatever the status of the trials.
	ExitZero bool `json:"exit_zero,omitempty"`
	// Shard says which part of a plan the run is; nil: it is the whole.
	Shard *Shard `json:"shard,omitempty"`
	// Merged says that the run was put together from shards; nil: it was not.
	Merged *Merged `json:"merged,omitempty"`

	// OverBudget is why trials were not run that the limit of costs did not allow for; "": there are none.
	OverBudget string   `json:"-"`
	MayCostUSD float64  `json:"-"` // what the dearest of them may cost; 0: there are none, or that is not known
	Resume     []string `json:"-"` // command that resumes the run; nil: it cannot be resumed
	Spec       *Spec    `json:"-"` // what was asked of the run; nil: not known
	Replayed   bool     `json:"-"` // trials were answered from cassettes; false: they were not, or that is not known
	Basis      *Basis   `json:"-"` // what it is held against; nil: nothing, or what Against says
	// Notices are those of trials, each with the number of its trials.
	Notices map[string]int `json:"-"`
	// HeaderLost: see JournalContent.
	HeaderLost bool `json:"-"`
	LeftOut    int  `json:"-"` // lines of its journal that could not be used, and that nothing later makes up for

	Briefs *Briefs `json:"-"` // in plan order; only finished trials
	Trials Source  `json:"-"`

	decisive  Counts // trials by the status of their group
	undecided int    // groups that are, and may not be
	allowed   int    // groups that are, and may be
	cut       int    // groups that are because a limit, or somebody, ended the run
	excused   int    // groups that count for nothing, with any outcome
	missing   int    // planned trials that did not finish, and are not known
	folded    bool   // by a collector, which knows them
}

// Unfinished is the number of planned trials without a verdict: stopped, or never started. Those that no verdict needed
// are not among them.
func (r *Run) Unfinished() int {
	if !r.folded {
		return max(r.Planned-r.Summary.Trials, 0) + r.Summary.Cancelled
	}
	return r.missing + r.Summary.Cancelled
}

// MissingSingle is the number of planned trials that did not finish, without those of groups that may end early: these
// report themselves what is missing.
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
	Known     int `json:"known,omitempty"`     // failed trials of groups that fail as in the baseline
	// Quarantined are failed trials of scenarios in quarantine.
	Quarantined int `json:"quarantined,omitempty"`
	Replaced    int `json:"replaced,omitempty"` // trials that the provider refused, and others replaced
	// Groups counts scenarios with their providers and regions, and rows, by status; nil where all of them have one trial.
	Groups *GroupCounts `json:"groups,omitempty"`
	// Undecided are the groups whose trials show neither that enough of them pass nor that too few do. Allowed are those
	// of them that do not make the run red.
	Undecided int `json:"undecided,omitempty"`
	Allowed   int `json:"undecided_allowed,omitempty"`
	// SuiteRate is the mean of the rates of the groups; nil where all of them have one trial.
	SuiteRate *SuiteRate `json:"suite_rate,omitempty"`
	// NotNeeded are planned trials that no verdict needed.
	NotNeeded int        `json:"not_needed,omitempty"`
	Before    int        `json:"before,omitempty"` // trials that were kept when the run was resumed
	Flaky     int        `json:"flaky,omitempty"`  // trials that failed before and pass now, although nothing changed
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
	// Context is the cost of what context policies asked models; not part of the cost. nil when they asked none.
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
	NotRun  int `json:"not_run"` // not evaluated: the conversation ended before
}

// Brief is the part of a finished trial that is kept in memory. What many have in common is shared: it must not be
// changed through one of them.
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
	Group      int32       // index in Run.Groups; -1: it is of no group of several trials
	Quarantine *Quarantine // of its scenario; nil: none
	Status     Status
	Tolerated  bool   // the trial failed, but its group passed
	Outvoted   bool   // it did not pass, and its group passed, or may be undecided
	Rejected   bool   // the provider refused it, and another trial replaces it
	Uncounted  bool   // the verdict of its group is not about it
	Known      bool   // the trial failed, and its group fails as in the baseline
	Before     bool   // kept when the run was resumed
	Gone       bool   // kept, but no longer in the plan
	Flaky      bool   // failed before and passes now, although nothing changed
	OverBudget bool   // not run because of the limit of costs
	Excuse     string // why the trial, which did not pass, makes nothing red; "": it does, or its group tolerates it
}

// BriefShared is what the trials of a scenario, or of its rows, with one provider have in common.
type BriefShared struct {
	Scenario   string
	Provider   string
	Region     string
	Trials     int
	File       string // of the scenario
	Line       int32
	Simulated  bool   // a mock answered; nobody paid the cost
	Gated      bool   // it is of a group whose trials may end early
	Pooled     bool   // all rows of its dataset are one group
	Repeatable bool   // see Trial
	Recording  string // file of the conversation, when the trial only judged it
	TaskType   string // of the prompt
}

// BriefRow is what of a Brief only trials of a row or a session have.
type BriefRow struct {
	Row     string  // id of the row of the dataset; "": none
	Session string  // name of the session in the recording, when the scenario is about several; or the Row
	Score   float64 // of a row: mean of its checks and evals for which more is better
	Scored  int32   // how many checks and evals the Score is of; 0: it says nothing
}

// BriefRare is what few trials have.
type BriefRare struct {
	Judges     *SideCost   // nil: nothing was judged by a model
	Users      *SideCost   // nil: no user was played by one
	Context    *SideCost   // nil: no context policy asked a model
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
	// Quarantined says that the group decides nothing: its scenario is in quarantine.
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

// SuiteRate is a rate with its error bar: of the noise of trials alone, since the groups are the suite. Groups have
// bars at a confidence of their own.
type SuiteRate struct {
	Rate       float64 `json:"rate"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence"` // of each end
}

// AssertionStats is the statistics of one assertion, or of one eval with a threshold, over the trials of a group with
// one variant. The assertion is identified by its place, so that two checks of one type stay separate.
type AssertionStats struct {
	// Turn is the index of the turn of the scenario, which may have become several; -1: conversation. For evals it is
	// that of the turn in the conversation.
	Turn  int    `json:"turn"`
	Index int    `json:"index"`
	Eval  string `json:"eval,omitempty"` // id; Index is the number of the result within the turn
	Step  string `json:"step,omitempty"` // step of a composition whose output the eval judged
	// Variant is the variables that a perturbation changed. Each variant has to reach the threshold.
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
