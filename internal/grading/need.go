package grading

import "github.com/arena-evals/arena/internal/diag"

// Need is the judge that a check will ask, so that a plan can refuse a check that no judge could answer.
type Need struct {
	Use JudgeUse
	// Optional says that the check works, and judges less, when no judge is configured. A check that names its judge is
	// never optional.
	Optional bool
	Votes    int    // how often it is asked; 0 counts as 1
	Prompt   string // id of the project's prompt that replaces the check's own; "": none
	// DefaultPrompt says that the project's default prompt for judges, if it has one, takes that place.
	DefaultPrompt bool
	Pos           JudgePos
}

// JudgePos are the positions of a check and of the parts of its JudgeUse; zero: the part is not given.
type JudgePos struct {
	Check, Judge, Model, Provider, Prompt diag.Pos
}
