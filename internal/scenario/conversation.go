package scenario

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dataset"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// Scenario is one conversation to run.
type Scenario struct {
	Meta
	File         string `digest:"-"`
	Description  string
	TaskType     string
	Turns        []Turn
	Conversation []Placed // of the scenario only; Project.Globals come first
	Variables    map[string]string
	Shapes       map[string]string `digest:"-"` // types of Variables that are not texts: "a list" or "a map"
	SeedMemories []SeedMemory
	Context      ContextMetadata
	Streaming    bool
	Trials       *Trials `digest:"-"` // nil: as in the defaults
	Providers    []string
	Group        string // provider group; "" is default
	Capabilities []string
	ToolPolicy   *ToolPolicy    // nil: none
	Window       *ContextPolicy // nil: none, or it is switched off
	Tags         []string
	// Agent is the program that a scenario names itself; nil: the providers of the project are its agents. Judges see
	// the Title and Outcome of such a scenario.
	Agent          *Provider
	Title, Outcome string
	Skip           string      // reason; "": it is not skipped
	Quarantine     *Quarantine `digest:"-"` // nil: it counts
	// Recorded is the eval of a scenario over recordings: the checks of its one turn judge every recorded reply. Nil:
	// the conversation is run.
	Recorded  *RecordingEval
	Timeout   time.Duration
	OnFailure string // "", "continue", "stop"
	JudgeGate *bool  // nil: as in the defaults
	// OutputSchema is the requested schema of the replies; nil: that of the prompt, if any.
	OutputSchema json.RawMessage
	// Metadata is additional data about the conversation for checks, such as retrieved chunks or an embedding.
	Metadata map[string]any

	Dataset *Dataset     `digest:"-"` // nil: the scenario runs once
	Row     *dataset.Row `digest:"-"` // the row of this scenario; see ForRow

	freed    bool
	written  *node.Node // the source of the scenario; nil: it was not kept
	rowLacks []string   // fields that Metadata uses and Row lacks

	mediaFaults, mediaDoubts []string // problems of the media that Row names

	// Positions for messages about references that only the planner can check.
	TaskTypePos diag.Pos
	places      *rarePlaces `digest:"-"` // nil: it has none of these keys
}

// rarePlaces are positions of keys that few scenarios have.
type rarePlaces struct{ group, domain, userRole diag.Pos }

// GroupPos is the position of the provider group; zero if there is none.
func (s *Scenario) GroupPos() diag.Pos { return s.rarePlaces().group }

func (s *Scenario) rarePlaces() rarePlaces {
	if s.places == nil {
		return rarePlaces{}
	}
	return *s.places
}

// placesOf returns the positions of rare keys, to be set.
func (s *Scenario) placesOf() *rarePlaces {
	if s.places == nil {
		s.places = &rarePlaces{}
	}
	return s.places
}

// Free drops the turns and the checks, which use most of a scenario's memory. They may not be used any more.
func (s *Scenario) Free() { s.Turns, s.Conversation, s.freed = nil, nil, true }

// IsFreed reports whether the turns and the checks were dropped.
func (s *Scenario) IsFreed() bool { return s.freed }

// ContextMetadata feeds the template variables domain and user_role.
type ContextMetadata struct{ Domain, UserRole string }

// ToolPolicy limits the tool loop. Zero limits are the defaults.
type ToolPolicy struct {
	Choice       string // auto, required, none, or a tool name; "" is auto
	Blocklist    []string
	MaxRounds    int     // 0: 50
	MaxPerTurn   int     // 0: none
	MaxTotal     int     // 0: none
	MaxCostUSD   float64 // 0: 2.00
	MaxIdentical int     // 0: 3
	LimitsCost   bool    // MaxCostUSD was given; see PolicyUnder
}

// ChoosesTool reports whether the choice names a tool.
func (p *ToolPolicy) ChoosesTool() bool {
	return !slices.Contains([]string{"", "auto", "required", "none"}, p.Choice)
}

// Turn is one user message, scripted or, with SelfPlay, generated. Rare fields are in a struct of their own, because
// suites may have very many turns.
type Turn struct {
	Pos        diag.Pos
	Said       diag.Pos // of the content; of the turn if it has none
	Role       string   // user, or a self-play role
	Content    string   // template
	Literal    bool     // Content is sent unchanged, not as a template
	Parts      []chat.Part
	Assertions []Placed
	Rare       *RareTurn `digest:"inline"` // nil: all are zero; see More
}

// RareTurn are the fields that few turns have.
type RareTurn struct {
	PartPos   []diag.Pos  // of the media of Parts, or of the parts
	RowMedia  []RowMedium `digest:"-"` // the media of Parts that rows name
	SelfPlay  *SelfPlay   // nil: the turn is scripted
	Streaming *bool
	Mock      *TurnMock // nil: none
	Chaos     []ToolFailure
	// Perturbations: placeholder → values. One trial for each combination.
	Perturbations []Perturbation `digest:"-"`
	Seed          *int64
	Temperature   *float64 // of the assistant
	Consent       []Consent
}

// More returns the rare fields; they are zero in most turns.
func (t *Turn) More() RareTurn {
	if t.Rare == nil {
		return RareTurn{}
	}
	return *t.Rare
}

// rare returns the rare fields, to be set.
func (t *Turn) rare() *RareTurn {
	if t.Rare == nil {
		t.Rare = &RareTurn{}
	}
	return t.Rare
}

// SelfPlay says how a model plays the user in a turn.
type SelfPlay struct {
	Persona     string
	MinTurns    int // user messages to generate
	MaxTurns    int
	Temperature *float64
}

// Persona is the persona that plays the user; "": the turn is scripted.
func (t *Turn) Persona() string {
	if play := t.More().SelfPlay; play != nil {
		return play.Persona
	}
	return ""
}

// selfPlay returns the self-play of a turn, to be set.
func (t *Turn) selfPlay() *SelfPlay {
	rare := t.rare()
	if rare.SelfPlay == nil {
		rare.SelfPlay = &SelfPlay{}
	}
	return rare.SelfPlay
}

// TurnMock is the mock replies of a turn.
type TurnMock struct {
	Replies []MockReply
	Calls   []MockCallUse `digest:"-"` // each tool once
}

// Inline returns the mock replies of the turn; nil: none.
func (t *Turn) Inline() []MockReply {
	if mock := t.More().Mock; mock != nil {
		return mock.Replies
	}
	return nil
}

// Perturbation is a placeholder {Name} of a turn with its texts.
type Perturbation struct {
	Name   string
	Values []string
	Pos    diag.Pos
}
