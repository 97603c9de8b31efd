package cli

import (
	"time"

	"github.com/arena-evals/arena/internal/report/show"
)

// A Ctrl-C at the prompt clears the typed line, as in a shell. arena cannot see whether the line was empty. So the
// first Ctrl-C never ends the chat, and the second one does.

// endRequest remembers whether the user pressed Ctrl-C at the prompt since the last line.
type endRequest struct {
	asked   bool
	settled <-chan time.Time // fires once another interrupt counts as a second one; see interruptBurst
}

// confirmed takes an interrupt, and reports whether it is the second one.
func (e *endRequest) confirmed(app *App) bool {
	if !e.asked {
		e.asked, e.settled = true, app.afterBurst()
		return false
	}
	select {
	case <-e.settled:
		e.settled = nil
	default:
		if e.settled != nil {
			return false
		}
	}
	return true
}

// unsaved says how many turns are in no file; "": all are saved.
func (c *chatTalk) unsaved() string {
	n := len(c.chat.Trial().Turns) - c.savedTurns
	if n <= 0 {
		return ""
	}
	return "; " + show.Plural(n, "turn") + " not saved: /save FILE"
}
