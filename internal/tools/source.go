package tools

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
)

// Source is where tools come from that are more than words in a file: a program, a server, the state of a trial. It is
// safe for concurrent use. Making one starts nothing: that is for the first List or Call, once for all who wait.
type Source interface {
	// List describes the tools that it has now, each name once. It starts what must run for that.
	List(ctx context.Context) ([]chat.Tool, error)
	// Call runs one of them and returns soon after ctx is done. Whatever goes wrong is in the result, which may have
	// parts. The arguments fit the schema that was listed, and stay as they are.
	Call(ctx context.Context, call chat.ToolCall) chat.ToolResult
	// Close ends what was started, and waits for its end. Nothing is called after it.
	Close() error
}

// Scope says who shares a source.
type Scope uint8

// The scopes.
const (
	PerRun      Scope = iota // all trials of a project
	PerScenario              // the trials of a scenario
	PerSession               // nobody: each trial has its own
)

// Opener makes the sources of one origin: of a program or a server that the files name. It is immutable.
type Opener struct {
	Name  string // in errors: MCP server "memory"
	Scope Scope
	// Open makes a source, in no time.
	Open func() Source
	// Needed reports whether a prompt with these allowed tools may be offered any of the source; nil: every prompt may.
	// Sources that nobody wants are never opened.
	Needed func(allowed []string) bool
	// Agent is the agent that all its tools ask, by its name in the config; "": they ask none.
	Agent string
	// Outside says that the source is of the world: what it lists stands on cassettes, and a replay does not open it.
	Outside bool
	// Unredacted are the fields that the source is to take out of answers and that none had so far, and whether there were
	// answers; nil: none to tell.
	Unredacted func() (fields []string, answered bool)
	// Always offers the tools of the source whatever a prompt allows. A prompt that names some of them gets only these.
	Always bool
}

func (o *Opener) needed(allowed []string) bool { return o.Needed == nil || o.Needed(allowed) }

// Remarks are what a source says of its list of tools, beside the tools.
type Remarks struct {
	Notices  []string // what the user should know, and neither a model nor a check
	Fixed    bool     // the list stays as it is
	ReadOnly bool     // none of the tools changes anything
}

// Remarker is a source with remarks on the list that it gave last. The lists of others are fixed.
type Remarker interface {
	Remarks() Remarks
}
