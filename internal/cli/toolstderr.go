package cli

import (
	"sync/atomic"

	"github.com/arena-evals/arena/internal/report/term"
)

// toolStderr passes stderr lines of tool programs to the screen of the run. No program runs before the screen is open.
type toolStderr struct{ screen atomic.Pointer[term.Printer] }

// show prints a line. It may be called by any goroutine.
func (o *toolStderr) show(who, line string) {
	if p := o.screen.Load(); p != nil {
		p.ToolStderr(who, line)
	}
}
