package result

import (
	"cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Trial is one conversation: scenario × provider × region × repetition (and variant of the perturbations).
type Trial struct {
	Index    int               `json:"-"`  // in the plan, from 0
	ID       string            `json:"id"` // stable and readable: refund/gpt-4o/default#2
	Scenario string            `json:"scenario"`
	Provider string            `json:"provider"`
	Model    string            `json:"model,omitempty"`
	Region   string            `json:"region"`
	Row      *Row              `json:"row,omitempty"` // of the dataset; nil: the scenario has none
	Trial    int               `json:"trial"`         // from 1
	Trials   int               `json:"trials"`        // in its group, or of its row: repetitions × variants
	Variant  map[string]string `json:"variant,omitempty"`
	Tags     []string          `json:"tags,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Position diag.Pos          `json:"position"` // of the scenario
	// Fingerprint is equal for trials with the same input: it covers everything that affects their outcome.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Asked is equal for trials that ask and check the same, with any agent; "": not known.
	Asked string `json:"asked,omitempty"`
	// Repeatable says that the trial has the same result in each run: mocks or recordings answer and judge.
	Repeatable bool `json:"repeatable,omitempty"`
	// Judging is equal for judgements of the same conversation by the same checks. It is set in rejudged runs, where
	// Fingerprint is that of the conversation. "": not a judgement.
	Judging string `json:"-"` // in the journal it is a field of the line, not of the trial
	// Before says that a resumed run kept the trial.
	Before bool `json:"before,omitempty"`
	// Gone says that the trial is no longer in the plan of the resumed run. It is in no group, and can only make the
	// run fail.
	Gone bool `json:"gone,omitempty"`
	// Excused says that a trial that is gone failed, and that its group tolerated it.
	Excused bool `json:"excused,omitempty"`
	// Earlier are failures of trials with the same fingerprint in the resumed runs.
	Earlier []Attempt `json:"earlier,omitempty"`
	// Flaky says that the trial failed before and passes now without a change.
	Flaky bool `json:"flaky,omitempty"`
	// OverBudget says that the trial did not run because of the limit of costs.
	OverBudget bool `json:"over_budget,omitempty"`
	// MayCostUSD is an upper estimate of the cost of the trial; 0: not known.
	MayCostUSD float64 `json:"may_cost_usd,omitempty"`
	// Counted is false for a trial that does not count for the verdict of its group; nil for all others. Only
	// results.json contains it.
	Counted *bool `json:"counted,omitempty"`
	// Rejected says that the provider refused the trial before the first reply, in a group with a pass_rate: the next
	// number replaces it.
	Rejected bool `json:"rejected,omitempty"`
	// Replacement says that the trial replaces a rejected one, so that its number is above the planned ones.
	Replacement bool `json:"replacement,omitempty"`
	// Worker is the name of the worker that ran the trial; "": the process of the run.
	Worker string `json:"worker,omitempty"`
	// Unrecorded says that the only error was a cassette that could not be written. A resumed run repeats the trial.
	Unrecorded bool `json:"unrecorded,omitempty"`

	Describe string `json:"description,omitempty"`
	// TaskType is the task type of the prompt that the scenario names, or whose guardrails fired.
	TaskType string `json:"task_type,omitempty"`
	// Metadata is the metadata of the conversation that checks got. Numbers are json.Number.
	Metadata jsonvalue.Object `json:"metadata,omitempty"`
	// Recording is the source of a recorded conversation; nil: the conversation was run.
	Recording *Recording `json:"recording,omitempty"`

	Status     Status   `json:"status"`
	Passed     bool     `json:"passed"` // status is passed
	Error      string   `json:"error,omitempty"`
	Skip       string   `json:"skip_reason,omitempty"`
	DurationMS float64  `json:"duration_ms"`
	Usage      Usage    `json:"usage"`
	CostUSD    *float64 `json:"cost_usd"` // null: the price is not known
	// Simulated says that a mock answered; nobody paid the cost.
	Simulated bool `json:"simulated,omitempty"`
	// Judges is the cost of the trial's judgements, separate from that of the agent; nil when there are none.
	Judges *SideCost `json:"judges,omitempty"`
	// Users is the cost of models that played users, separate from that of the agent; nil: none.
	Users *SideCost `json:"users,omitempty"`
	// Context is the cost of models that the context policy called, for summaries and embeddings; nil: none.
	Context *SideCost `json:"context,omitempty"`
	Retries int       `json:"retries,omitempty"`
	Notices []string  `json:"notices,omitempty"`
	// Warnings are the warnings about the conversation. The run lists them too, each once.
	Warnings []string `json:"warnings,omitempty"`

	Policy   string    `json:"context_policy,omitempty"` // identifies the scenario's context policy; "": none
	System   string    `json:"system,omitempty"`         // the system prompt; of a workflow, that of the first state
	Workflow *Workflow `json:"workflow,omitempty"`
	Memory   []Memory  `json:"memory,omitempty"` // the agent's memory at the end, oldest first
	// Listed are the names of tools that MCP servers and remote agents listed, by server or agent. Lists above 64 KiB
	// are left out.
	Listed       map[string][]string `json:"listed_tools,omitempty"`
	Turns        []Turn              `json:"turns"`
	Conversation []Verdict           `json:"conversation_assertions"`
	// Evals are the results of evals in the order in which they ran.
	Evals []EvalResult `json:"eval_results,omitempty"`
	// EvalsDispatched counts the evals that were sent to workers. Evals holds the results that were awaited.
	EvalsDispatched int `json:"evals_dispatched,omitempty"`
}

// Row is the row of a dataset for which a trial ran.
type Row struct {
	ID       string   `json:"id"`       // part of the trial's id
	Number   int      `json:"number"`   // from 1
	Position diag.Pos `json:"position"` // in the dataset
}

// Recording is the source of a recorded conversation.
type Recording struct {
	File     string `json:"file,omitempty"`
	Format   string `json:"format,omitempty"`
	Session  string `json:"session,omitempty"`
	Name     string `json:"name,omitempty"`     // part of the trial's id, when the recording holds several sessions
	Provider string `json:"provider,omitempty"` // as the recording names it
	Model    string `json:"model,omitempty"`    // the same
	// MissingInfo lists what the recording does not say, such as which guardrails fired.
	MissingInfo []string `json:"untold,omitempty"`
}

// Usage is the tokens of a trial and the number of its model calls.
type Usage struct {
	chat.Usage
	Calls     int `json:"model_calls"`
	ToolCalls int `json:"tool_calls"`
}

// SideCost is the usage and cost of models other than the agent: judges, models that play users, or models that a
// context policy calls.
type SideCost struct {
	chat.Usage
	Calls   int      `json:"calls"`
	CostUSD *float64 `json:"cost_usd"` // null: a price is not known
	// SimulatedUSD is the simulated part of the cost: mocks made it up and nobody paid it.
	SimulatedUSD float64 `json:"simulated_usd,omitempty"`
}

// Turn is one message of the user and everything until the final reply.
type Turn struct {
	Index int `json:"index"` // from 0
	// Scripted is the index of the turn of the scenario that this turn came from, if it differs from Index: an earlier
	// turn became several, or none. See Script.
	Scripted *int `json:"scripted,omitempty"`
	// Persona plays the user in this turn; "": the turn is scripted.
	Persona string `json:"persona,omitempty"`
	// Ended is why the persona sent nothing more after this turn; "": it did, or the turn is scripted. See EndedByMark.
	Ended      string         `json:"ended,omitempty"`
	User       string         `json:"user"`
	Assistant  string         `json:"assistant"` // the final reply; empty when there was none
	NotRun     string         `json:"not_run,omitempty"`
	Error      string         `json:"error,omitempty"`
	Messages   []chat.Message `json:"messages"`
	ToolCalls  []ToolCall     `json:"tool_calls"`
	Assertions []Verdict      `json:"assertions"`
	LatencyMS  float64        `json:"latency_ms"`
	Streamed   bool           `json:"streamed,omitempty"` // the replies were streamed
	// Composition contains the steps that answered instead of one model call; nil: none.
	Composition *Composition `json:"composition,omitempty"`
	// Trace is the trace of an agent that is a program; nil: none.
	Trace      *chat.Trace `json:"trace,omitempty"`
	Guardrails []Firing    `json:"guardrails,omitempty"` // guardrails that fired, in the order of the messages
	// GuardJudgements are the calls of judges for guardrails that let their message through.
	GuardJudgements []Judgement `json:"guard_judgements,omitempty"`
}

// Why a persona ended the conversation.
const (
	EndedByMark    = "end_marker" // it ended the conversation itself
	EndedByMaximum = "maximum"    // it may say no more
	EndedByError   = "error"      // a message or its reply failed
	EndedByFailure = "stopped"    // an assertion failed, and on_failure is stop
)

// Script is the index of the turn of the scenario that the turn came from, whose assertions apply.
func (t *Turn) Script() int {
	if t.Scripted != nil {
		return *t.Scripted
	}
	return t.Index
}

// From sets the turn of the scenario that the turn came from.
func (t *Turn) From(script int) {
	t.Scripted = nil
	if script != t.Index {
		t.Scripted = &script
	}
}

// ToolCall is one tool call with its result.
type ToolCall struct {
	Step      string    `json:"step,omitempty"` // step of a composition that made it
	Name      string    `json:"name"`
	Args      chat.Args `json:"args"`
	BadArgs   string    `json:"bad_args,omitempty"`
	Result    string    `json:"result"`
	Error     string    `json:"error,omitempty"`
	ErrorType string    `json:"error_type,omitempty"`
	// Broken says that the tool itself failed, not because of the agent and not because arena injected a failure.
	Broken bool `json:"broken,omitempty"`
	// Refused says that arena did not run the call: the tool does not exist, or the agent may not use it here.
	Refused bool `json:"refused,omitempty"`
	// Injected is the failure that the scenario injected, a mode of chaos; "": none.
	Injected string `json:"injected,omitempty"`
}

// Verdict is the decision on one check.
type Verdict struct {
	Type          string           `json:"type"`            // as its author wrote it
	Check         string           `json:"check,omitempty"` // the check that was run, when type is a wrapper
	Status        Status           `json:"status"`
	Passed        bool             `json:"passed"` // the status is passed or skipped
	Score         *float64         `json:"score"`  // 0..1; null when the check could not judge
	Skipped       bool             `json:"skipped"`
	SkipReason    string           `json:"skip_reason,omitempty"`
	Error         string           `json:"error,omitempty"`       // why the check could not judge
	Message       string           `json:"message,omitempty"`     // the author's label
	Explanation   string           `json:"explanation,omitempty"` // one line: what the check saw
	Details       jsonvalue.Object `json:"details,omitempty"`
	MinScore      *float64         `json:"min_score,omitempty"`
	MaxScore      *float64         `json:"max_score,omitempty"`
	PassThreshold *float64         `json:"pass_threshold,omitempty"`
	Position      diag.Pos         `json:"position"`
	DurationMS    float64          `json:"duration_ms"`
	Judgements    []Judgement      `json:"judgements,omitempty"` // the calls of judges, in the order of the votes
}

// Name is the type of the check that was run.
func (v *Verdict) Name() string { return cmp.Or(v.Check, v.Type) }

// Checks calls f for every verdict of the trial; turn is the index of the turn, -1 for the conversation.
func (t *Trial) Checks(f func(turn, i int, v *Verdict)) {
	for ti := range t.Turns {
		for i := range t.Turns[ti].Assertions {
			f(t.Turns[ti].Index, i, &t.Turns[ti].Assertions[i])
		}
	}
	for i := range t.Conversation {
		f(-1, i, &t.Conversation[i])
	}
}
