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

// ProcessEnd waits until there is no process of that number. A process that was killed is there until its parent, or
// who stands in for it, has asked how it ended.
func ProcessEnd(t TB, pid int) {
	t.Helper()
	for syscall.Kill(pid, 0) == nil {
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
	}
}
