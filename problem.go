package arena

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// Position is a place in a file. Line and Column count from 1; 0 is not known.
type Position struct {
	File         string
	Line, Column int
}

// String is file:line:column without what is not known.
func (p Position) String() string {
	return p.pos().String()
}

func (p Position) pos() diag.Pos {
	return diag.Pos{File: p.File, Line: int32(p.Line), Col: int32(p.Column)}
}

func positionFrom(p diag.Pos) Position { return Position{p.File, int(p.Line), int(p.Col)} }

// Problem is a problem in the files or in the options.
type Problem struct {
	Position Position
	Warning  bool   // it does not prevent a run
	Code     string // the same in every version: unknown-check
	Message  string
	Hint     string // what to do; may be ""
}

func problemsFrom(list []diag.Diagnostic) []Problem {
	out := make([]Problem, len(list))
	for i, d := range list {
		out[i] = Problem{positionFrom(d.Pos), d.Severity == diag.Warning, d.Code, d.Msg, d.Hint}
	}
	return out
}

// ProblemsError says that nothing was run because of problems in the files.
type ProblemsError struct {
	Problems []Problem // all errors and warnings, sorted by file and line
	text     string
}

// Error lists every problem with its position and the line of the file.
func (e *ProblemsError) Error() string { return e.text }

func newProblemsError(d *diag.List, files int, opts *Options) *ProblemsError {
	list := d.Sorted()
	var b strings.Builder
	fmt.Fprintf(&b, "arena: %s; nothing was run\n\n", diag.Summary(list, files))
	if err := diag.Print(&b, list, diag.PrintOptions{Read: opts.read}); err != nil { // a strings.Builder takes everything
		fmt.Fprintln(&b, err)
	}
	return &ProblemsError{Problems: problemsFrom(list), text: strings.TrimRight(b.String(), "\n")}
}
