package recording

import (
	"cmp"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/sortby"
)

// maxSkipped is the maximum number of problems in skipped records.
const maxSkipped = 10_000

// Skipped returns the first problem of each conversation that Options.SkipUnreadable left out.
func (f *File) Skipped() []diag.Diagnostic { return f.skipped }

// leaveOut removes the problems of records from those of the file, if each record is a conversation. In other formats
// the unreadable record may be a part of any conversation.
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
