// Package scenario turns the user's files into typed values that remember where they were written. Whatever is wrong
// is reported to a diag.List, all of it at once; a value that could not be read is left out.
package scenario

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/digest"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
)

// Suite is everything that one run loads: one or more projects.
type Suite struct {
	Projects []*Project
	Files    int // files read
}

// LimitRuns gives every conversation the same limit, whatever the files say.
func (s *Suite) LimitRuns(limit time.Duration) {
	for _, p := range s.Projects {
		p.Defaults.RunLimit = limit
	}
}

// Project is one arena config with what it names, or the loose files of one command line.
type Project struct {
	Name      string
	File      string `digest:"-"` // the arena config; "" when there is none
	Dir       string `digest:"-"` // against which run-time paths resolve
	Defaults  Defaults
	Prompts   []*Prompt   `digest:"-"` // each task type once
	Providers []*Provider `digest:"-"`
	Scenarios []*Scenario `digest:"-"` // sorted by id
	Tools     []*Tool
	Personas  []*Persona
	Roles     []Role // self-play roles
	SelfPlay  bool   // self_play is there and not switched off
	Judges    []Judge
	Evals     []*RecordingEval `digest:"-"`
	PackEvals []*Eval          // of the packs; see EvalsFor
	// ArenaEvals are those of the config. They replace others of the same id.
	ArenaEvals []*Eval
	Globals    []Placed
	Handlers   []*Handler // check types that are programs
	Open       []*Open    `digest:"-"` // the checks with placeholders, wherever they stand
	Mock       *MockFile  // --mock-config; nil otherwise
	// Later names parts of the project whose behaviour arena does not have yet, with the place that asks for them.
	// Needs tells which of them a trial touches.
	Later []Feature `digest:"-"`
	// Getenv reads the environment and, behind it, the `.env` file beside the config.
	Getenv func(string) (string, bool) `digest:"-"`
}

// Feature is something that the files ask for and that this version cannot do. A plan that needs it is refused.
type Feature struct {
	Name string // "workflows", "MCP servers"
	Pos  diag.Pos
	// Who needs it: the ids of one scenario, provider or tool, the task type of one prompt. All "": the whole project.
	Scenario, Provider, Prompt, Tool string

	Names []string // see Has
}

// Meta is what every named resource has.
type Meta struct {
	ID     string
	Alias  string // spec.id where it differs; filters and mock files accept it too
	Pos    diag.Pos
	Labels map[string]string
}

// Is reports whether a name in a filter or a mock file means this resource.
func (m *Meta) Is(name string) bool { return name == m.ID || (m.Alias != "" && name == m.Alias) }

// Defaults of an arena config. Nil pointers: not set.
type Defaults struct {
	Temperature *float64
	TopP        *float64
	MaxTokens   *int
	Seed        *int64
	Concurrency int           `digest:"-"` // 0: not set
	RunTimeout  time.Duration // 0: not set
	RunLimit    time.Duration `digest:"-"` // takes the place of every limit in the files; 0: does not
	FailOn      []string      `digest:"-"` // reasons, as result has them, besides those that always make a run red
	OnFailure   string        // "", "continue" or "stop"
	Output      Output        `digest:"-"`
	JudgeGate   bool
	JudgePrompt string // judge_defaults.prompt: id of the prompt that judges are given; "": none
	Embedder    string // inference.embedder: id of the provider of embeddings; "": the first of role embedding
}

// Output is where and how results are written.
type Output struct {
	Dir          string
	Formats      []string // nil: not set
	JUnitFile    string
	HTMLFile     string
	MarkdownFile string
	Recording    RecordingOutput
}

// RecordingOutput asks for event logs of the conversations.
type RecordingOutput struct {
	Enabled bool
	Dir     string // below the folder of the results
}

// Scenario is one conversation to drive.
type Scenario struct {
	Meta
	File         string `digest:"-"`
	Description  string
	TaskType     string
	Turns        []Turn
	Conversation []Placed // of the scenario alone; Project.Globals come first
	Variables    map[string]string
	Context      ContextMetadata
	Streaming    bool
	Trials       int `digest:"-"` // at least 1
	Providers    []string
	Group        string // provider group; "" is default
	Capabilities []string
	ToolPolicy   *ToolPolicy // nil: none
	Tags         []string
	Skip         string // reason; "" runs
	// Recorded is the eval that the scenario stands for: conversations that are over, and of which the checks of the
	// one turn judge every reply. Nil: the conversation is to be had.
	Recorded  *RecordingEval
	Timeout   time.Duration
	OnFailure string // "", "continue", "stop"
	JudgeGate *bool  // nil: as in the defaults
	// OutputSchema is what the replies are asked to fit; nil: that of the prompt, if it has one.
	OutputSchema json.RawMessage
	// Metadata is what the host of an agent would know of the conversation, for checks that ask for it: chunks that were
	// retrieved, an embedding, whatever a program looks at.
	Metadata map[string]any

	// Places for messages about references that only the planner can check.
	TaskTypePos  diag.Pos
	ProvidersPos []diag.Pos // one per entry of Providers
	GroupPos     diag.Pos
}

// ContextMetadata feeds the template variables domain and user_role.
type ContextMetadata struct {
	Domain, UserRole string
}

// ToolPolicy limits the tool loop. Zero limits are the defaults.
type ToolPolicy struct {
	Choice       string // auto, required, none, or a tool name; "" is auto
	Blocklist    []string
	MaxRounds    int     // 0: 50
	MaxPerTurn   int     // 0: none
	MaxTotal     int     // 0: none
	MaxCostUSD   float64 // 0: 2.00
	MaxIdentical int     // 0: 3
}

// Turn is one scripted (or, with SelfPlay, generated) user message. A suite may hold very many of them, so that what
// only few have stands apart.
type Turn struct {
	Pos        diag.Pos
	Said       diag.Pos // of what is said; of the turn when it has no content
	Role       string   // user, or a self-play role
	Content    string   // template
	Literal    bool     // Content is no template: it is sent as it stands
	Parts      []chat.Part
	Assertions []Placed
	SelfPlay   *SelfPlay // nil: the turn is scripted
	Streaming  *bool
	Mock       *TurnMock // nil: none
	Chaos      []ToolFailure
	// Perturbations: placeholder → values. One trial for each combination.
	Perturbations []Perturbation
	Seed          *int64
	Temperature   *float64          // of the assistant
	Consent       map[string]string // tool → grant, deny, timeout
}

// SelfPlay is how a model plays the user in a turn.
type SelfPlay struct {
	Persona     string
	MinTurns    int // user messages to generate
	MaxTurns    int
	Temperature *float64
}

// Persona is who plays the user; "": the turn is scripted.
func (t *Turn) Persona() string {
	if t.SelfPlay == nil {
		return ""
	}
	return t.SelfPlay.Persona
}

// selfPlay is the self-play of a turn, to be filled.
func (t *Turn) selfPlay() *SelfPlay {
	if t.SelfPlay == nil {
		t.SelfPlay = &SelfPlay{}
	}
	return t.SelfPlay
}

// TurnMock is the inline replies of a turn.
type TurnMock struct {
	Replies []MockReply
	Calls   []MockUse `digest:"-"` // each tool once
}

// Inline are the replies that the turn brings along; nil: none.
func (t *Turn) Inline() []MockReply {
	if t.Mock == nil {
		return nil
	}
	return t.Mock.Replies
}

// Perturbation is one placeholder {Name} of a turn and the texts to put there.
type Perturbation struct {
	Name   string
	Values []string
	Pos    diag.Pos
}

// ToolFailure is a fault injected into one tool for one turn.
type ToolFailure struct {
	Tool        string
	Mode        string  // error, timeout, slow
	Probability float64 // 0: always
	Message     string
	Pos         diag.Pos
}

// Surface is where a check stands.
type Surface uint8

// The surfaces.
const (
	TurnAssertion Surface = iota
	ConversationAssertion
	Guardrail
	EvalSurface
)

// Check is a check as written. Params is the raw node: the planner compiles it (through Options.Compile) while the
// file is being read and then drops it, so that ten thousand scenarios do not keep their syntax trees.
type Check struct {
	Surface       Surface
	Type          string
	Pos           diag.Pos // of the type
	Params        *node.Node
	ParamsPos     diag.Pos // of params; of the type when there are none
	Message       string
	When          *When
	MinScore      *float64 // written beside params; Params may hold them too
	MaxScore      *float64
	PassThreshold *float64
	// MustPass asks an eval to pass by the check's own rule where there is no MinScore; Params may hold one.
	MustPass bool
	// MinAt, MaxAt and PassAt are where they are written.
	MinAt, MaxAt, PassAt diag.Pos
	// Digest sums up what was written, taken before the parameters go.
	Digest digest.Sum
	// Compiled is what Options.Compile made of it, opaque here; nil when it could not be compiled. For a check with
	// placeholders it is an *Open.
	Compiled any `digest:"-"`
	// Early says that Handlers are not known yet. Compile must then set Unknown, and report nothing, when it meets a
	// type that it does not know, here or in a check within this one; it is called again when they are known.
	Early, Unknown bool `digest:"-"`
	// Settled says that no placeholder is left in it. One that stands alone may hold none; see Alone.
	Settled  bool                `digest:"-"`
	Handlers map[string]*Handler `digest:"-"` // the types that the project declares
}

// Placed is a check in the list where it stands. Once it is compiled, what was written is let go.
type Placed struct {
	Digest   digest.Sum // see Check.Digest
	Compiled any        `digest:"-"` // see Check.Compiled; the *Check itself when Options.Compile is nil
}

// When holds the conditions under which a check applies; all that are set must hold.
type When struct {
	ToolCalled        string
	ToolCalledPattern string
	AnyToolCalled     bool
	MinToolCalls      int
	ToolPos           diag.Pos
	PatternPos        diag.Pos
}

// Prompt is a system prompt with its variables, tools and guardrails.
type Prompt struct {
	Meta
	File           string `digest:"-"`
	TaskType       string
	Version        string
	Description    string
	SystemTemplate string
	TemplatePos    diag.Pos
	Variables      []Variable
	Vars           map[string]string // of the arena reference
	AllowedTools   []string
	AllToolsOK     bool // no allowed_tools were written: offer none. Packs without tools: the same
	Validators     []*Validator
	Fragments      map[string]string // variable name → text, loaded
	Overrides      map[string]ModelOverride
	Temperature    *float64
	TopP           *float64
	MaxTokens      *int
	Sampling
	OutputSchema json.RawMessage // what the replies are asked to fit; nil: anything
	ToolPolicy   *ToolPolicy
	Evals        []*Eval
}

// Variable is a declared template variable.
type Variable struct {
	Name     string
	Required bool
	Default  *string // nil: none
	Pos      diag.Pos
}

// ModelOverride changes the system prompt for one model.
type ModelOverride struct {
	SystemTemplate, Prefix, Suffix string
	Pos                            diag.Pos
	Parameters                     Parameters
}

// Parameters of model calls. Nil pointers: not set.
type Parameters struct {
	Temperature *float64
	TopP        *float64
	MaxTokens   *int
	Sampling
}

// Sampling is how a model chooses its words, beside temperature and top_p. Nil pointers: not set.
type Sampling struct {
	TopK                              *int
	TopKPos                           diag.Pos
	FrequencyPenalty, PresencePenalty *float64
}

// AddTo puts the parameters that are set into those of a call, by their names on the wire. The map that is given stays
// as it is.
func (s *Sampling) AddTo(extra map[string]any, p *Provider) map[string]any {
	if *s == (Sampling{}) {
		return extra
	}
	all := maps.Clone(extra)
	if all == nil {
		all = map[string]any{}
	}
	if s.TopK != nil && p.TakesTopK() {
		all["top_k"] = *s.TopK
	}
	if s.FrequencyPenalty != nil {
		all["frequency_penalty"] = *s.FrequencyPenalty
	}
	if s.PresencePenalty != nil {
		all["presence_penalty"] = *s.PresencePenalty
	}
	return all
}

// TakesTopK reports whether top_k is sent: OpenAI's own servers refuse it.
func (p *Provider) TakesTopK() bool {
	return p.Type != "azure" && (p.Type != "openai" || p.BaseURL != "")
}

// Validator is a guardrail as written.
type Validator struct {
	Check
	Enabled         bool
	Direction       string // input, output, both
	FailOnViolation bool   // false: monitor only. Unset counts as true
}

// Eval is an eval definition (pack_evals, packs, prompts).
type Eval struct {
	Check
	ID          string
	IDPos       diag.Pos
	Description string
	Trigger     string
	Enabled     bool
	LeftOut     bool    `digest:"-"` // by whoever runs, not by the author; then it is not enabled either
	SamplePct   float64 // of turns or sessions; only for triggers that sample
	Groups      []string
	Metric      *result.Metric // as what the results are exported
	Digest      string         // of what it measures; definitions that differ in that have different ones
}

// Provider is a model endpoint as configured.
type Provider struct {
	Meta
	File        string `digest:"-"`
	Dir         string `digest:"-"` // against which its files resolve
	Type        string // canonical: mock, openai, anthropic, gemini, ollama, azure, openai-compatible, …
	Model       string
	Role        string            // llm is the default
	Group       string            // default is the default
	BaseURL     string            `digest:"-"` // without a key it counts
	Headers     map[string]string `digest:"-"` // without keys they count
	APIKey      string            `digest:"-"` // literal, after ${VAR} expansion
	KeyEnv      string            `digest:"-"` // credential_env
	KeyFile     string            `digest:"-"`
	Platform    *Platform
	Temperature *float64
	TopP        *float64
	MaxTokens   *int
	Tuning
	Pricing           *Pricing
	RPS               float64         `digest:"-"` // 0: no limit
	Burst             int             `digest:"-"`
	Capabilities      []string        // nil: not declared
	Unsupported       []string        // request parameters to leave out
	Extra             json.RawMessage // additional_config, for types that read settings of their own from it
	RequestTimeout    time.Duration
	StreamIdleTimeout time.Duration
	MaxConcurrent     int          `digest:"-"` // stream_max_concurrent; 0: no limit
	Transport         Transport    `digest:"-"`
	Breaker           Breaker      `digest:"-"`
	Retry             *RetryPolicy `digest:"-"`
	MockFile          string       `digest:"-"` // additional_config.mock_config, absolute or against the working directory
	MockPos           diag.Pos
	Mock              *MockFile // loaded; nil when MockFile is ""
	Replay            *Replay
	KeyPos            diag.Pos
}

// Platform is cloud hosting of a model.
type Platform struct {
	Type, Region, Project, Endpoint string
	APIVersion                      string
	Pos                             diag.Pos
}

// Pricing in USD per 1,000 tokens.
type Pricing struct {
	InputPer1K, OutputPer1K float64
	CachedPer1K             *float64
}

// Breaker is when a provider is no longer called because nobody is there; zero fields are the defaults.
type Breaker struct {
	MaxFailures *int          // in a row; 0: it is called whatever happens
	ProbeAfter  time.Duration // until one call tries again
}

// Transport is how the connections of a provider are kept; zero fields are the defaults.
type Transport struct {
	MaxConns, MaxIdleConns int
	IdleTimeout            time.Duration
}

// RetryPolicy of a provider; zero fields are the defaults.
type RetryPolicy struct {
	PerSecond float64 // retries of all calls, after a first Burst of them; 0: no limit
	Burst     int
	Attempts  int
	BaseDelay time.Duration
	MaxDelay  time.Duration
}

// Replay configures a provider that answers from recordings.
type Replay struct {
	Recordings []string `digest:"-"` // files, as the system knows them; patterns are resolved
	Session    string   // id of the one session to answer from; "": by the scenario
	Timing     string   // instant, realtime, accelerated
	Match      string   // turn, content
	Tools      string   // recorded, execute; "": recorded where there is a result, else executed
	Speed      float64
	Pos        diag.Pos // of the recordings
	SessionPos diag.Pos
}

// Tool is a tool that the agent may call.
type Tool struct {
	Meta
	File         string `digest:"-"`
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage // nil: not checked
	InputPos     diag.Pos
	OutputPos    diag.Pos
	Mode         string // mock, live, exec, client, mcp, local
	Timeout      time.Duration
	MockResult   json.RawMessage // nil: not set
	MockTemplate string          // Go text/template over the arguments
	TemplatePos  diag.Pos
	MockParts    []chat.Part
	Later        json.RawMessage // http, exec and client settings, kept for the modes that come later
}

// Persona plays a user.
type Persona struct {
	Meta
	SystemTemplate string
	SystemPrompt   string
	Goals          []string
	Constraints    []string
	RequiredVars   []string
	OptionalVars   map[string]string
	Style          Style
	Temperature    *float64
	Seed           *int64
}

// Style is how a persona writes. Empty words are the defaults, medium.
type Style struct {
	Verbosity      string // short, medium, long
	ChallengeLevel string // low, medium, high
	FrictionTags   []string
}

// Role binds a turn role to the provider that plays it.
type Role struct {
	ID, Provider string
	Pos          diag.Pos
}

// Judge is a named judge.
type Judge struct {
	Name, Provider string
	Pos            diag.Pos
}
