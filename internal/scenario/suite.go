// Package scenario turns the user's files into typed values that remember where they were written. All problems are
// reported to a diag.List; values that cannot be read are left out.
package scenario

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/skill"
)

// Suite is everything that one run loads: one or more projects.
type Suite struct {
	Projects []*Project
	Files    int      // files read
	Read     []string // with Options.Sent: the paths of the projects' files; some repeat
	Notes    []string // for the user: which files are ignored
}

// LimitRuns sets the time limit of every conversation.
func (s *Suite) LimitRuns(limit time.Duration) {
	for _, p := range s.Projects {
		p.Defaults.RunLimit = limit
	}
}

// Project is one arena config with its resources, or the loose files of one command line.
type Project struct {
	Name         string
	File         string `digest:"-"` // the arena config; "" when there is none
	Dir          string `digest:"-"` // base of run-time paths
	AllScenarios bool   `digest:"-"` // Scenarios are all of the config, not a few that were asked for
	Defaults     Defaults
	Prompts      []*Prompt   `digest:"-"` // each task type once
	Providers    []*Provider `digest:"-"`
	Scenarios    []*Scenario `digest:"-"` // sorted by id
	Tools        []*Tool
	Personas     []*Persona
	Roles        []Role // self-play roles
	SelfPlay     bool   // self_play is present and not switched off
	Judges       []Judge
	Evals        []*RecordingEval `digest:"-"`
	PackEvals    []*Eval          // of the packs; see EvalsFor
	// ArenaEvals are those of the config. They replace others with the same id.
	ArenaEvals []*Eval
	Workflow   *Workflow // the config's own, else that of the pack; nil: none
	// Compositions are those of the config, then those of its packs, each name once.
	Compositions []*Composition
	Skills       *skill.Set  // of the config, then of its packs; nil: none
	Prices       ModelPrices `digest:"-"` // of the config; see Priced
	Memory       bool        // trials have memory tools
	Agents       []*Agent    // remote ones; the skills of the simulated ones are among Tools
	Servers      []*Server   // MCP servers with tools for agents
	Globals      []Placed
	Handlers     []*Handler   // check types that are programs
	Open         []*OpenCheck `digest:"-"` // all checks with placeholders
	Mock         *MockFile    // --mock-config; nil otherwise
	// Later are features of the project that arena does not have yet, with their positions. Needs says which of them a
	// trial uses.
	Later []Feature `digest:"-"`
	// Getenv reads the environment, then the `.env` file beside the config.
	Getenv func(string) (string, bool) `digest:"-"`
	Dotenv map[string]string           `digest:"-"` // the content of that file
}

// Feature is a feature in files that this version does not have. A plan that needs it is refused.
type Feature struct {
	Name string // "workflows", "MCP servers"
	Pos  diag.Pos
	// The users of the feature: ids of a provider or tool, or the task type of a prompt. All "": the whole project.
	Provider, Prompt, Tool string

	Names   []string // see Has
	Instead string   // what to write instead; "": there is no alternative
}

// Meta is common to all named resources.
type Meta struct {
	ID     string
	Alias  string // spec.id where it differs; filters and mock files accept it too
	Pos    diag.Pos
	Labels map[string]string
}

// Is reports whether a name in a filter or a mock file refers to this resource.
func (m *Meta) Is(name string) bool { return name == m.ID || (m.Alias != "" && name == m.Alias) }

// Defaults of an arena config. Nil pointers: not set.
type Defaults struct {
	Temperature  *float64
	TopP         *float64
	MaxTokens    *int
	Seed         *int64
	Concurrency  int           `digest:"-"` // 0: not set
	RunTimeout   time.Duration // 0: not set
	RunLimit     time.Duration `digest:"-"` // replaces every limit in the files; 0: it does not
	FailOn       []string      `digest:"-"` // additional reasons to fail a run, in result's words
	Trials       *Trials       `digest:"-"` // for scenarios without their own; nil: one trial
	OnFailure    string        // "", "continue" or "stop"
	Output       Output        `digest:"-"`
	JudgeGate    bool
	JudgePrompt  string            // judge_defaults.prompt: id of the judges' prompt; "": none
	Classifiers  map[string]string // inference: ids of providers for text, image and audio
	PrivateHosts []string          `digest:"-"` // hosts from which media are fetched even if private
	Embedder     string            // inference.embedder: id of the provider of embeddings; "": the first of role embedding
}

// Output says where and how results are written.
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

// Prompt is a system prompt with its variables, tools and guardrails.
type Prompt struct {
	Meta
	File           string   `digest:"-"`
	ListedPos      diag.Pos // of its id in prompt_configs, where that has one
	TaskType       string
	Version        string
	Description    string
	SystemTemplate string
	TemplatePos    diag.Pos
	Variables      []Variable
	Vars           map[string]string // of the arena reference
	Shapes         map[string]string `digest:"-"` // types of Vars that are not texts: "a list" or "a map"
	AllowedTools   []string
	AllToolsOK     bool // no allowed_tools were written: offer none. The same as for packs without tools
	Validators     []*Validator
	Fragments      map[string]string // variable name → text, loaded
	Overrides      map[string]ModelOverride
	Temperature    *float64
	TopP           *float64
	MaxTokens      *int
	Sampling
	OutputSchema json.RawMessage // the schema of replies; nil: any
	ToolPolicy   *ToolPolicy
	Evals        []*Eval
}

// Variable is a declared template variable.
type Variable struct {
	Name     string
	Required bool
	Type     string  // string, number, boolean, object or array; "": any
	Default  *string // nil: none
	Shape    string  `digest:"-"` // type of a default that is not a text: "a list" or "a map"
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

// Sampling has sampling parameters besides temperature and top_p. Nil: not set.
type Sampling struct {
	TopK                              *int
	TopKPos                           diag.Pos
	FrequencyPenalty, PresencePenalty *float64
}

// AddTo adds the set parameters to those of a call, by their names on the wire. It does not change extra.
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
	Direction       string   // input, output, both
	FailOnViolation bool     // false: monitor only. Unset counts as true
	EnforcedAt      diag.Pos // position of fail_on_violation: true; zero: not written
}

// Eval is an eval definition (pack_evals, packs, prompts).
type Eval struct {
	Check
	ID          string
	IDPos       diag.Pos
	Description string
	Trigger     string
	Enabled     bool
	LeftOut     bool    `digest:"-"` // by a flag of the run, not by the author; it is then not enabled either
	SamplePct   float64 // of turns or sessions; only for triggers that sample
	Groups      []string
	Metric      *result.Metric // the exported metric
	Digest      string         // of what it measures
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
	Mode         string // mock, live, exec, client, mcp, local, ToolOfAgent, ToolOfProgram
	Timeout      time.Duration
	MockResult   json.RawMessage // nil: not set
	MockTemplate string          // Go text/template over the arguments
	TemplatePos  diag.Pos
	MockParts    []chat.Part
	MockPartPos  []diag.Pos  `digest:"-"` // of the media of MockParts, or of the parts
	Client       *ClientTool // of mode client; nil: of another one
	Exec         *ExecTool   // of mode exec; nil: of another one
	HTTP         *HTTPTool   // of mode live; nil: of another one
	Agent        *AgentSkill // of mode ToolOfAgent; nil: of another one
	// Run is the function of a tool of mode ToolOfProgram; nil in other modes. A Go error becomes an error result.
	Run func(ctx context.Context, args map[string]any) (chat.ToolResult, error) `digest:"-"`
}

// ToolOfProgram is the mode of tools that are Go functions of the program that embeds arena. No file can have it.
const ToolOfProgram = "go"

// ProviderOfProgram is the type of agents and judges in Go, of the program that embeds arena. No file can have it.
const ProviderOfProgram = "go"

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
	MaxTokens      *int     // of a message; nil: see UserTokens
	TextPos        diag.Pos // of its template
	Loose          bool     `digest:"-"` // no config lists it, and its file does not declare its kind
}

// Style is the style of a persona. Empty fields mean medium.
type Style struct {
	Verbosity      string // short, medium, long
	ChallengeLevel string // low, medium, high
	FrictionTags   []string
	Expressive     bool   // the template begins with Rubric
	Rubric         string // the tone; "": unspecified
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
