package cli

import (
	"time"

	"github.com/arena-evals/arena/internal/report/show"
)

// A Ctrl-C at the prompt takes away what is typed, as in a shell. Nobody tells arena whether there was anything: so the
// first one ends nothing, and the next one does.

// endAgain is whether the chat was to be ended at the prompt, since the last line.
type endAgain struct {
	asked   bool
	settled <-chan time.Time // from then on another interrupt is a wish of its own; see oneWish
}

// wished takes an interrupt, and reports whether it is the second wish.
func (e *endAgain) wished(app *App) bool {
	if !e.asked {
		e.asked, e.settled = true, app.afterWish()
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

// unsaved says how much of the talk is in no file; "": all is.
func (c *chatTalk) unsaved() string {
	n := len(c.chat.Trial().Turns) - c.savedTurns
	if n <= 0 {
		return ""
	}
	return "; " + show.Plural(n, "turn") + " not saved: /save FILE"
}
