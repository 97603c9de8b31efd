//go:build unix

package hang

import (
	"context"
	"syscall"
)

// TB is what a helper needs of a test.
type TB interface {
	Context() context.Context
	Fatal(args ...any)
	Helper()
}

// ProcessEnd waits until a process no longer exists. A killed process exists until its parent, or the parent's
// substitute, has waited for it.
func ProcessEnd(t TB, pid int) {
	t.Helper()
	for syscall.Kill(pid, 0) == nil {
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
	}
}
