// Package checks holds every check of arena, one file each, and the table that lists them. A check only scores what it
// sees; the surface that uses it (assertion, guardrail, eval) decides what follows.
//
// The first word of a file's name sorts it. For checks it is the family: agent and skill, behaviour, budget, combined,
// composition and workflow, content, external, guardrail and invariant, json, judge, media, rag, safety, tool, trace.
// Files with code that a family shares also begin with it. The other files are what all checks are built on:
//
//	def, table     the declaration of a check, and the list of all checks
//	custom         checks of a Go program
//	param          parameters, from YAML to the fields of a struct
//	compile        from a check as written to one that runs, with all errors and warnings that need no run
//	asks           what a compiled check looks at, for the planner of a run
//	subject        what a check looks at
//	verdict        from what a check saw to the decision of its surface
//	text           texts to look for, and restrictions on them
package checks

import (
	"context"
	"errors"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Check is a compiled check. It is immutable and safe for concurrent use.
type Check interface {
	// Eval judges s. An error means that nothing could be judged; it becomes an error verdict, never a score.
	Eval(ctx context.Context, s *Subject) (Finding, error)
}

// Details are JSON values by name; structs and lists of structs become JSON too.
type Details = jsonvalue.Object

// Finding is what a check saw. Only Holds says whether that is good enough.
type Finding struct {
	Score       float64 // 0..1
	Explanation string  // one line, about what the check saw
	Details     Details // for reports and machines; nil when there is nothing to add
	// Holds is the verdict by the check's own limit, for checks whose score is a measure rather than a grade (budgets,
	// similarity). It is used when there is no min_score and no max_score, and together with a min_score when the
	// author gave the limit. Nil: a score of 1 passes.
	Holds *bool

	// kept is the score that is compared with a min_score, for a check with parts: Score, or less if a part breaks a
	// limit of its own. Nil: Score.
	kept  *float64
	doubt *doubt // nil: the score is certain
	// silent: the agent did not reply, so the score is meaningless. It matters only for a failed verdict.
	silent bool
	way    string // what to do about a silent finding; "": not known
}

// ErrNotApplicable is wrapped by checks that have nothing to judge. The verdict is skipped and does not count.
var ErrNotApplicable = errors.New("not applicable")
