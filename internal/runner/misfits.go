package runner

import (
	"fmt"

	"github.com/arena-evals/arena/internal/names"
)

// noteMisfits warns of values for an argument that do not fit the schema that a server has listed: a check that forbids
// one of them never fails.
func (s *session) noteMisfits(a *names.Argument) {
	for i := range a.Expected {
		v := &a.Expected[i]
		why := names.Misfit(s.box, a.Tool, a.Name, v)
		if why == "" {
			continue
		}
		text := fmt.Sprintf("%s: %s: %s %s, by the schema of %s", v.Pos, a.Where, a.Name, why, a.Tool)
		s.warnOnce(text)
	}
}
