package resulttest

import (
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// Played is a run whose users are played by a persona with a hostile name, one trial for each reason for which it says
// nothing more.
func Played() *result.Run {
	var trials []*result.Trial
	for i, why := range []string{result.EndedByMark, result.EndedByMaximum, result.EndedByError, result.EndedByFailure} {
		turns := []result.Turn{
			turn("Hello.", agentReply("Good day.")), turn("Where is my parcel?", agentReply("On its way.")),
		}
		for k := range turns {
			turns[k].Persona = "shopper<b>"
			turns[k].Messages[0].Generated = &chat.Generated{Persona: "shopper<b>", Role: "customer", Provider: "users"}
		}
		turns[0].Persona, turns[0].Messages[0].Generated = "", nil // scripted
		turns[1].Ended = why
		trials = append(trials, trial("parcel.yaml", 1, fmt.Sprintf("parcel-%d", i), "mock", turns...))
	}
	return NewRun("played", trials...)
}
