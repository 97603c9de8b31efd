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

// Check is a check as written. Params is the raw node: the planner compiles it (through Options.Compile) while the
// file is being read and then drops it, so that ten thousand scenarios do not keep their syntax trees.
type Check struct {
	Surface       Surface
	Type          string
	Pos           diag.Pos // of the type
	Params        *node.Node
	ParamsPos     diag.Pos // of params; of the type when there are none
	Message       string
	Description   string `digest:"-"` // the Message where that is not written
	DescribedAt   diag.Pos
	When          *When
	MinScore      *float64 // written beside params; Params may hold them too
	MaxScore      *float64
	PassThreshold *float64
	// MustPass asks an eval to pass by the check's own rule where there is no MinScore; Params may hold one.
	MustPass bool
	// MinAt, MaxAt and PassAt are where they are written.
	MinAt, MaxAt, PassAt diag.Pos
	// Digest sums up what was written, taken before the parameters go. It is zero where values were filled in.
	Digest digest.Sum
	// Compiled is what Options.Compile made of it, opaque here; nil when it could not be compiled. For a check with
	// placeholders it is an *Open.
	Compiled any `digest:"-"`
	// Early says that Handlers are not known yet. Compile must then set Unknown, and report nothing, when it meets a
	// type that it does not know, here or in a check within this one; it is called again when they are known.
	Early, Unknown bool `digest:"-"`
	// Settled says that no placeholder is left in it. A check by itself may contain none; see Alone.
	Settled  bool                `digest:"-"`
	Handlers map[string]*Handler `digest:"-"` // the types that the project declares

	// Filled are the values of variables that were filled into Params.
	Filled map[*node.Node][]FilledIn `digest:"-"`
}

// Placed is a check at its position in a list. Its source is dropped when it is compiled.
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
