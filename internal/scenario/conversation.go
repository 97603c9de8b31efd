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

// Scenario is one conversation to drive.
type Scenario struct {
	Meta
	File         string `digest:"-"`
	Description  string
	TaskType     string
	Turns        []Turn
	Conversation []Placed // of the scenario alone; Project.Globals come first
	Variables    map[string]string
	Shapes       map[string]string `digest:"-"` // of those of Variables that are no texts: "a list" or "a map"
	SeedMemories []SeedMemory
	Context      ContextMetadata
	Streaming    bool
	Trials       *Trials `digest:"-"` // nil: as the defaults say
	Providers    []string
	Group        string // provider group; "" is default
	Capabilities []string
	ToolPolicy   *ToolPolicy    // nil: none
	Window       *ContextPolicy // nil: none, or it is turned off
	Tags         []string
	// Agent is the program that a scenario names itself; nil: the providers of the project are its agents. Title and
	// Outcome are what such a scenario tells judges besides.
	Agent          *Provider
	Title, Outcome string
	Skip           string      // reason; "" runs
	Quarantine     *Quarantine `digest:"-"` // nil: it decides
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

	Dataset *Dataset     `digest:"-"` // nil: the scenario is run for itself
	Row     *dataset.Row `digest:"-"` // for which this is the scenario; see ForRow

	freed    bool
	written  *node.Node // what its file says; nil: nobody asked to keep it
	rowLacks []string   // fields that Metadata asks for and Row does not have

	mediaFaults, mediaDoubts []string // of the media that Row names

	// Places for messages about references that only the planner can check.
	TaskTypePos diag.Pos
	places      *rarePlaces `digest:"-"` // nil: it has none of these keys
}

// rarePlaces are those of keys that few scenarios have.
type rarePlaces struct{ group, domain, userRole diag.Pos }

// GroupPos is the place of the provider group; zero where there is none.
func (s *Scenario) GroupPos() diag.Pos { return s.rarePlaces().group }

func (s *Scenario) rarePlaces() rarePlaces {
	if s.places == nil {
		return rarePlaces{}
	}
	return *s.places
}

// placesOf are the places of rare keys, to be filled.
func (s *Scenario) placesOf() *rarePlaces {
	if s.places == nil {
		s.places = &rarePlaces{}
	}
	return s.places
}

// Free drops the turns and the checks, which are most of a scenario in memory. Nothing may use them any more.
func (s *Scenario) Free() { s.Turns, s.Conversation, s.freed = nil, nil, true }

// IsFreed reports whether the turns and the checks are gone.
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
	LimitsCost   bool    // MaxCostUSD is no default; see PolicyUnder
}

// ChoosesTool reports whether the choice names a tool.
func (p *ToolPolicy) ChoosesTool() bool {
	return !slices.Contains([]string{"", "auto", "required", "none"}, p.Choice)
}

// Turn is one user message, scripted or, with SelfPlay, generated. Suites may have very many turns, so what few of them
// have is in a struct of its own.
type Turn struct {
	Pos        diag.Pos
	Said       diag.Pos // of what is said; of the turn when it has no content
	Role       string   // user, or a self-play role
	Content    string   // template
	Literal    bool     // Content is no template: it is sent as it stands
	Parts      []chat.Part
	Assertions []Placed
	Rare       *RareTurn `digest:"inline"` // nil: it has nothing of that; see More
}

// RareTurn is what few turns have.
type RareTurn struct {
	PartPos   []diag.Pos  // of the media of Parts, or of the parts
	RowMedia  []RowMedium `digest:"-"` // of the media of Parts, those that rows name
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

// More is what few turns have; all of it is zero in the others.
func (t *Turn) More() RareTurn {
	if t.Rare == nil {
		return RareTurn{}
	}
	return *t.Rare
}

// rare is what few turns have, to be filled.
func (t *Turn) rare() *RareTurn {
	if t.Rare == nil {
		t.Rare = &RareTurn{}
	}
	return t.Rare
}

// SelfPlay is how a model plays the user in a turn.
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

// selfPlay is the self-play of a turn, to be filled.
func (t *Turn) selfPlay() *SelfPlay {
	rare := t.rare()
	if rare.SelfPlay == nil {
		rare.SelfPlay = &SelfPlay{}
	}
	return rare.SelfPlay
}

// TurnMock is the mock replies on a turn.
type TurnMock struct {
	Replies []MockReply
	Calls   []MockCallUse `digest:"-"` // each tool once
}

// Inline returns the mock replies on the turn; nil: none.
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
