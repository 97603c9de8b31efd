package tools

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
)

// Source provides tools that need more than a description: a program, a server, the state of a trial. It is safe for
// concurrent use. It is started by the first List or Call, once for all waiting callers.
type Source interface {
	// List describes the tools that it has now, each name once. It starts what must run for that.
	List(ctx context.Context) ([]chat.Tool, error)
	// Call runs one of them and returns soon after ctx is done. Whatever goes wrong is in the result, which may have
	// parts. The arguments fit the schema that was listed, and stay as they are.
	Call(ctx context.Context, call chat.ToolCall) chat.ToolResult
	// Close ends what was started, and waits for its end. No other method may be called after it.
	Close() error
}

// Scope says which trials share a source.
type Scope uint8

// The scopes.
const (
	PerRun      Scope = iota // all trials of a project
	PerScenario              // the trials of a scenario
	PerSession               // none: each trial has its own
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
	// Outside says that the source is outside arena: its list is recorded in cassettes, and a replay does not open it.
	Outside bool
	// Unredacted are the fields that the source should redact and that no answer had, and whether there were answers;
	// nil: not known.
	Unredacted func() (fields []string, answered bool)
	// Always offers the tools of the source whatever a prompt allows. A prompt that names some of them gets only these.
	Always bool
}

func (o *Opener) needed(allowed []string) bool { return o.Needed == nil || o.Needed(allowed) }

// Remarks are a source's remarks on its list of tools.
type Remarks struct {
	Notices  []string // for the user only
	Fixed    bool     // the list stays as it is
	ReadOnly bool     // none of the tools changes anything
}

// Remarker is a source with remarks on the list that it gave last. The lists of others are fixed.
type Remarker interface {
	Remarks() Remarks
}
