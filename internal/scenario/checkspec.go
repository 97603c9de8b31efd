package scenario

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/digest"
	"github.com/arena-evals/arena/internal/node"
)

// Surface is the place of a check: assertion, guardrail or eval.
type Surface uint8

// The surfaces.
const (
	TurnAssertion Surface = iota
	ConversationAssertion
	Guardrail
	EvalSurface
)

// Check is a check as written. Params is the raw node. It is compiled (by Options.Compile) while the file is read and
// then dropped, so that ten thousand scenarios do not keep their syntax trees.
type Check struct {
	Surface       Surface
	Type          string
	Pos           diag.Pos // of the type
	Params        *node.Node
	ParamsPos     diag.Pos // of params; of the type when there are none
	Message       string
	Description   string `digest:"-"` // used as the Message if there is none
	DescribedAt   diag.Pos
	When          *When
	MinScore      *float64 // next to params; Params may also hold them
	MaxScore      *float64
	PassThreshold *float64
	// MustPass makes an eval without MinScore pass by the check's own rule; Params may hold a MinScore.
	MustPass bool
	// MinAt, MaxAt and PassAt are the positions of the thresholds.
	MinAt, MaxAt, PassAt diag.Pos
	// Digest is the digest of the written check. It is zero if values were filled in.
	Digest digest.Sum
	// Compiled is the result of Options.Compile, opaque here; nil if compilation failed. For a check with placeholders
	// it is an *Open.
	Compiled any `digest:"-"`
	// Early says that Handlers are not known yet. If the type of the check, or of one within it, is unknown, Compile
	// must then set Unknown and report nothing; it is called again later.
	Early, Unknown bool `digest:"-"`
	// Settled says that all placeholders are filled in. A single check may not contain any; see Alone.
	Settled  bool                `digest:"-"`
	Handlers map[string]*Handler `digest:"-"` // the types that the project declares

	// Filled are the variable values that were filled into Params.
	Filled map[*node.Node][]FilledIn `digest:"-"`
}

// Placed is a check at its position in a list. Its source is dropped after compilation.
type Placed struct {
	Digest   digest.Sum // see Check.Digest
	Compiled any        `digest:"-"` // see Check.Compiled; the *Check itself when Options.Compile is nil
}

// When is the condition under which a check applies. All fields that are set must hold.
type When struct {
	ToolCalled        string
	ToolCalledPattern string
	AnyToolCalled     bool
	MinToolCalls      int
	ToolPos           diag.Pos
	PatternPos        diag.Pos
}
