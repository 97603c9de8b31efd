// Package checks holds every check of arena, one file each, and the table that lists them. A check only scores what it
// sees; the surface that uses it (assertion, guardrail, eval) decides what follows.
//
// The first word of a file's name sorts it. For checks it is the family: agent and skill, behaviour, budget, combined,
// composition and workflow, content, external, guardrail and invariant, json, judge, media, rag, safety, tool, trace.
// What a family shares is beside its checks. The other files are what all checks are built on:
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

// Details are values by name, as JSON holds them; structs and lists of structs become JSON too.
type Details = jsonvalue.Object

// Finding is what a check saw. It never says whether that is good enough, except through Holds.
type Finding struct {
	Score       float64 // 0..1
	Explanation string  // one line, about what the check saw
	Details     Details // for reports and machines; nil when there is nothing to add
	// Holds is the verdict by the check's own limit, for checks whose score is a measure rather than a grade (budgets,
	// similarity). It counts when neither min_score nor max_score is given, and beside a min_score where the author gave
	// that limit. Nil: a score of 1 passes.
	Holds *bool

	// kept is the score that a min_score is held against, of a check with parts: at most Score, and less where a part
	// breaks a limit of its own. Nil: Score.
	kept  *float64
	doubt *doubt // nil: the score is certain
	// silent: the agent did not answer, so that the score is meaningless. Only a failed verdict counts.
	silent bool
	way    string // what to do about a silent finding; "": nothing is known
}

// ErrNotApplicable is wrapped by checks that have nothing to look at and must not count. The verdict is skipped.
var ErrNotApplicable = errors.New("not applicable")
