package result

import "github.com/arena-evals/arena/internal/diag"

// RunStarted is the first event.
type RunStarted struct {
	At      `json:"-"`
	Arena   string `json:"arena" doc:"Version of arena."`
	Name    string `json:"name,omitempty" doc:"Name of the project, where there is only one."`
	Planned int    `json:"planned" doc:"Trials in the plan, and those that are kept though they are not in it any more."`
	Kept    int    `json:"kept,omitempty" doc:"Trials kept from before; only totals tell of them."`
}

// RunCompleted is the last event, also of a run that was stopped.
type RunCompleted struct {
	At          `json:"-"`
	Status      Status `json:"status" doc:"The outcome of the run, fail_on included."`
	Interrupted bool   `json:"interrupted,omitempty" doc:"The user stopped the run."`
	Counts
	Undecided  int      `json:"undecided,omitempty" doc:"Groups that are, those that may be included."`
	Allowed    int      `json:"undecided_allowed,omitempty" doc:"Of these, those that may be: the run is not red for them."`
	NotNeeded  int      `json:"not_needed,omitempty" doc:"Planned trials that no verdict needed."`
	Kept       int      `json:"kept,omitempty" doc:"Of these, the trials kept from before the run was resumed."`
	DurationMS float64  `json:"duration_ms" doc:"Time that the run took."`
	Usage      Tokens   `json:"usage" doc:"What the agent took."`
	CostUSD    *float64 `json:"cost_usd" doc:"Cost of the agent in US dollars; null: no price is known."`
	// SimulatedUSD is the simulated part of the cost: mocks made it up and nobody paid it.
	SimulatedUSD float64 `json:"simulated_usd,omitempty" doc:"The part of the cost that mocks made up and nobody paid."`
}

// RunCompletedOf returns the event for a finished run.
func RunCompletedOf(run *Run, at At, interrupted bool) RunCompleted {
	s := &run.Summary
	return RunCompleted{
		At: at, Status: run.Status, Interrupted: interrupted, Counts: s.Counts, Kept: s.Before,
		DurationMS: run.DurationMS, Usage: TokensOf(s.Usage.Usage), CostUSD: s.CostUSD,
		SimulatedUSD: s.SimulatedUSD, Undecided: s.Undecided, Allowed: s.Allowed, NotNeeded: s.NotNeeded,
	}
}

// TrialStarted says that a worker begins a trial.
type TrialStarted struct {
	At `json:"-"`
	ID string `json:"-"`

	Index    int               `json:"index" doc:"Place in the plan, from 0."`
	Type     string            `json:"provider_type,omitempty" doc:"Type of the provider: openai, ollama, mock."`
	Model    string            `json:"model,omitempty" doc:"Model of the provider."`
	Region   string            `json:"region" doc:"Region of the conversation."`
	Row      string            `json:"row,omitempty" doc:"Row of the dataset that it is about; absent: its scenario has none."`
	Number   int               `json:"trial" doc:"Number within the group of repetitions, from 1."`
	Of       int               `json:"trials" doc:"Trials of the group."`
	Variant  map[string]string `json:"variant,omitempty" doc:"What a perturbation changed."`
	Tags     []string          `json:"tags,omitempty" doc:"Tags of the scenario."`
	Position diag.Pos          `json:"position" doc:"Where the scenario is written."`
}

// TrialDone carries a settled trial. The trial is in the journal before other sinks get the event. A trial that never
// started has no TrialStarted.
type TrialDone struct {
	At
	Trial *Trial
	// Line is the trial's journal line; nil: it is in the journal already.
	Line []byte
}

// Outcome is the data of TrialDone in the stream. The rest is in earlier events, or in the results.
type Outcome struct {
	Status     Status   `json:"status" doc:"The outcome of the trial."`
	Row        string   `json:"row,omitempty" doc:"Row of the dataset that it is about; absent: its scenario has none."`
	Error      string   `json:"error,omitempty" doc:"Why the trial broke."`
	SkipReason string   `json:"skip_reason,omitempty" doc:"Why it was not run, or not to its end."`
	DurationMS float64  `json:"duration_ms" doc:"Time that it took, checks included."`
	Turns      int      `json:"turns" doc:"Turns that were played."`
	ModelCalls int      `json:"model_calls" doc:"Model calls of the agent that were answered."`
	ToolCalls  int      `json:"tool_calls" doc:"Tool calls of the agent."`
	Retries    int      `json:"retries,omitempty" doc:"Attempts of model calls that failed and were repeated."`
	Usage      Tokens   `json:"usage" doc:"What the agent took."`
	CostUSD    *float64 `json:"cost_usd" doc:"Cost of the agent in US dollars; null: a price is not known."`
	Simulated  bool     `json:"simulated,omitempty" doc:"A mock answered: nobody paid the cost."`
	Worker     string   `json:"worker,omitempty" doc:"Name of the worker that ran it; absent: the run itself did."`
}

// Outcome is the data of the event.
func (e TrialDone) Outcome() Outcome {
	t := e.Trial
	o := Outcome{
		Status: t.Status, Row: t.RowID(), Error: t.Error, SkipReason: t.Skip, DurationMS: t.DurationMS,
		ModelCalls: t.Usage.Calls, ToolCalls: t.Usage.ToolCalls, Retries: t.Retries, Usage: TokensOf(t.Usage.Usage),
		CostUSD:   t.CostUSD,
		Simulated: t.Simulated, Worker: t.Worker,
	}
	for i := range t.Turns {
		if t.Turns[i].NotRun == "" {
			o.Turns++
		}
	}
	return o
}

// TurnStarted says that a turn begins.
type TurnStarted struct {
	At      `json:"-"`
	User    string `json:"user" doc:"What the user says; empty where a persona said nothing."`
	Persona string `json:"persona,omitempty" doc:"Id of the persona that plays the user; its calls come before. Absent: the turn is scripted."`
}

// TurnCompleted says that a turn has ended and its checks have run. A turn that was not run has none.
type TurnCompleted struct {
	At        `json:"-"`
	LatencyMS float64 `json:"latency_ms" doc:"Time from the user's words to the last reply."`
	ToolCalls int     `json:"tool_calls" doc:"Tool calls in the turn."`
	Error     string  `json:"error,omitempty" doc:"Why the turn could not be finished."`
}

// Kind implements Event.
func (RunStarted) Kind() EventKind { return KindRunStarted }

// Kind implements Event.
func (RunCompleted) Kind() EventKind { return KindRunCompleted }

// Kind implements Event.
func (TrialStarted) Kind() EventKind { return KindTrialStarted }

// Kind implements Event.
func (TrialDone) Kind() EventKind { return KindTrialCompleted }

// Kind implements Event.
func (TurnStarted) Kind() EventKind { return KindTurnStarted }

// Kind implements Event.
func (TurnCompleted) Kind() EventKind { return KindTurnCompleted }
