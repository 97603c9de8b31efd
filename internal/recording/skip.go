package recording

import (
	"cmp"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/sortby"
)

// maxSkipped is how many problems of records a file may have that is read without them.
const maxSkipped = 10_000

// Skipped are the problems of the conversations that Options.SkipUnreadable left out, the first of each.
func (f *File) Skipped() []diag.Diagnostic { return f.skipped }

// leaveOut takes the problems of records out of those of the file. It is only done where each record is a conversation:
// elsewhere any of the others may lack what could not be read.
func (f *File) leaveOut(problems *diag.List, stopped bool) *diag.List {
	if !f.skip || stopped || !f.format.apart || len(f.entries) == 0 || problems.Errors() >= maxSkipped {
		return problems
	}
	f.skipped = append(f.skipped, problems.Sorted()...)
	return &diag.List{}
}

// withoutUnread drops the sessions that could not be read.
func (f *File) withoutUnread(unread map[*entry]bool) {
	f.entries = slices.DeleteFunc(f.entries, func(e *entry) bool { return unread[e] })
	sortby.Func(f.skipped, func(x, y diag.Diagnostic) int { return cmp.Compare(x.Pos.Line, y.Pos.Line) })
}
