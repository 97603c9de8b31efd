package cli

import (
	"sync/atomic"

	"github.com/arena-evals/arena/internal/report/term"
)

// overheard passes what programs of tools write to stderr to the screen of the run. Before there is one, nothing runs.
type overheard struct{ screen atomic.Pointer[term.Printer] }

// say shows a line. It may be called by any goroutine.
func (o *overheard) say(who, line string) {
	if p := o.screen.Load(); p != nil {
		p.Overheard(who, line)
	}
}
