package mock

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
)

// drawn is the number from 0 to 1 by which the call draws among replies. It depends on the seed of the call and on its
// place alone: the trial, the turn and the reply in it. A call that is made again draws the same.
func (p *Provider) drawn(req *chat.Request) float64 {
	var seed int64
	if req.Seed != nil {
		seed = *req.Seed
	}
	at, row := &req.Origin, ""
	if at.Row != nil {
		row = at.Row.RowID()
	}
	asked := fmt.Appendf(nil, "%d %q %q %q %q %d %d %d %q %q %q %d %d %d", seed, p.ID, at.Scenario, at.Region,
		row, at.Trial, at.Turn, at.Reply, at.Persona, at.Judge, at.Step, at.Before, at.Attempt, at.Vote)
	if at.Summary > 0 { // added later: what else is drawn stays as it was
		asked = fmt.Appendf(asked, " %d", at.Summary)
	}
	sum := sha256.Sum256(asked)
	const bits = 53 // of the fraction of a float64
	return float64(binary.BigEndian.Uint64(sum[:8])>>(64-bits)) / (1 << bits)
}
