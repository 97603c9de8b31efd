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
	Trial    int               `json:"trial"`  // from 1
	Trials   int               `json:"trials"` // in its group: repetitions × variants
	Variant  map[string]string `json:"variant,omitempty"`
	Tags     []string          `json:"tags,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Position diag.Pos          `json:"position"` // of the scenario
	// Fingerprint is equal for trials that ask for the same: it is made of all that decides what comes of them.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Before says that the trial was kept from before the run was resumed.
	Before bool `json:"before,omitempty"`
	// Gone says that the run was resumed without the trial: its plan has it no more. It counts in no group, and can only
	// make the run red.
	Gone bool `json:"gone,omitempty"`
	// Excused says of a trial that is gone and failed that its group tolerated that while it was part of it.
	Excused bool `json:"excused,omitempty"`
	// Earlier is the times when a trial with the same fingerprint failed, in a run that this one resumes.
	Earlier []Attempt `json:"earlier,omitempty"`
	// Flaky says that the trial failed before and passes now, although nothing changed.
	Flaky    bool   `json:"flaky,omitempty"`
	Describe string `json:"description,omitempty"`
	// TaskType is that of the prompt which the scenario names, or whose guardrails fired.
	TaskType string `json:"task_type,omitempty"`
	// Metadata is what checks were told of the conversation. Numbers are json.Number.
	Metadata jsonvalue.Object `json:"metadata,omitempty"`
	// Recording is where the conversation comes from, when the trial only judged it.
	Recording *Recording `json:"recording,omitempty"`

	Status     Status   `json:"status"`
	Passed     bool     `json:"passed"` // status is passed
	Error      string   `json:"error,omitempty"`
	Skip       string   `json:"skip_reason,omitempty"`
	DurationMS float64  `json:"duration_ms"`
	Usage      Usage    `json:"usage"`
	CostUSD    *float64 `json:"cost_usd"` // null: the price is not known
	// Judges is what the judgements of this trial take, apart from the agent; nil when none were made.
	Judges  *JudgeCost `json:"judges,omitempty"`
	Retries int        `json:"retries,omitempty"`
	Notices []string   `json:"notices,omitempty"`
	// Warnings are those that the conversation gave reason for. The run has them too, each once.
	Warnings []string `json:"warnings,omitempty"`

	System       string    `json:"system,omitempty"` // the system prompt; with a workflow that of its start
	Workflow     *Workflow `json:"workflow,omitempty"`
	Memory       []Memory  `json:"memory,omitempty"` // what the agent remembered at the end, oldest first
	Turns        []Turn    `json:"turns"`
	Conversation []Verdict `json:"conversation_assertions"`
	// Evals is what was measured, in the order in which it was.
	Evals []EvalResult `json:"eval_results,omitempty"`
	// EvalsDispatched is how many evals were sent to be run elsewhere. Those that were waited for are in Evals.
	EvalsDispatched int `json:"evals_dispatched,omitempty"`
}

// Recording is a conversation that was had before.
type Recording struct {
	File     string `json:"file,omitempty"`
	Format   string `json:"format,omitempty"`
	Session  string `json:"session,omitempty"`
	Name     string `json:"name,omitempty"`     // in the trial's id, where it is one of several
	Provider string `json:"provider,omitempty"` // as the recording names it
	Model    string `json:"model,omitempty"`    // the same
	// Untold is what the recording could not say, such as which guardrails fired.
	MissingInfo []string `json:"untold,omitempty"`
}

// Usage is the tokens of a trial and the calls that took them.
type Usage struct {
	chat.Usage
	Calls     int `json:"model_calls"`
	ToolCalls int `json:"tool_calls"`
}

// JudgeCost is the tokens and the price of judgements.
type JudgeCost struct {
	chat.Usage
	Calls   int      `json:"calls"`
	CostUSD *float64 `json:"cost_usd"` // null: a price is not known
}

// Turn is one user message and everything until the reply.
type Turn struct {
	Index      int            `json:"index"` // from 0
	User       string         `json:"user"`
	Assistant  string         `json:"assistant"` // the final reply; empty when none came
	NotRun     string         `json:"not_run,omitempty"`
	Error      string         `json:"error,omitempty"`
	Messages   []chat.Message `json:"messages"`
	ToolCalls  []ToolCall     `json:"tool_calls"`
	Assertions []Verdict      `json:"assertions"`
	LatencyMS  float64        `json:"latency_ms"`
	Streamed   bool           `json:"streamed,omitempty"` // the replies were asked for as a stream
	// Composition is the steps that answered in the place of one model call; nil: none did.
	Composition *Composition `json:"composition,omitempty"`
	Guardrails  []Firing     `json:"guardrails,omitempty"` // those that fired, in the order of the messages
	// GuardJudgements are the calls of judges for guardrails that let their message through.
	GuardJudgements []Judgement `json:"guard_judgements,omitempty"`
}

// ToolCall is one executed call with what came of it.
type ToolCall struct {
	Step      string    `json:"step,omitempty"` // of a composition, that made it
	Name      string    `json:"name"`
	Args      chat.Args `json:"args"`
	BadArgs   string    `json:"bad_args,omitempty"`
	Result    string    `json:"result"`
	Error     string    `json:"error,omitempty"`
	ErrorType string    `json:"error_type,omitempty"`
}

// Verdict is the decision on one check.
type Verdict struct {
	Type          string           `json:"type"`            // as its author wrote it
	Check         string           `json:"check,omitempty"` // the check that was run, where the type is only its wrapping
	Status        Status           `json:"status"`
	Passed        bool             `json:"passed"` // the status is passed or skipped
	Score         *float64         `json:"score"`  // 0..1; null when nothing could be judged
	Skipped       bool             `json:"skipped"`
	SkipReason    string           `json:"skip_reason,omitempty"`
	Error         string           `json:"error,omitempty"`       // why nothing could be judged
	Message       string           `json:"message,omitempty"`     // the author's label
	Explanation   string           `json:"explanation,omitempty"` // one line: what was seen
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

// Checks calls f for every verdict of the trial; turn is -1 for those of the conversation.
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
