// Package checks holds every check of arena, one file each, and the table that lists them. A check only scores what
// it sees; the surface on which it stands (assertion, guardrail, eval) decides what follows.
//
// The files are sorted by the words with which they begin. Those of checks begin with their family: agent and skill,
// behaviour, budget, combined, composition and workflow, content, external, guardrail and invariant, json, judge,
// media, rag, safety, tool, trace. What a family shares is beside its checks. The others are what all checks stand on:
//
//	def, table     what is declared of a check, and the list of all checks
//	custom         checks of a Go program
//	param          parameters, from YAML to the fields of a struct
//	compile        from a check as it is written to one that runs, with all that can be told before a run
//	asks           what a compiled check looks at, for those who plan a run
//	subject        what a check looks at
//	verdict        from what a check saw to the decision of its surface
//	text           texts to look for, and what they must be
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

// Details are values by name as JSON holds them; structs and lists of such are written as JSON too.
type Details = jsonvalue.Object

// Finding is what a check saw. It never says whether that is good enough, except through Holds.
type Finding struct {
	Score       float64 // 0..1
	Explanation string  // one line: what is, not what the code felt
	Details     Details // for reports and machines; nil when there is nothing to add
	// Holds is the check's own limit, for checks whose score is a measure and not a grade (budgets, similarity). It
	// decides when neither min_score nor max_score is given. Nil: a score of 1 passes.
	Holds *bool

	doubt *doubt // nil: the score is certain
}

// ErrNotApplicable is wrapped by a check that has nothing to look at and must not count; the verdict is skipped.
var ErrNotApplicable = errors.New("not applicable")
