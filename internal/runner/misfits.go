package runner

import (
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/names"
	"github.com/arena-evals/arena/internal/result"
)

// noteMisfits notes the values for an argument that the schema does not take that a server has listed.
func (s *session) noteMisfits(a *names.Argument) {
	for i := range a.Wants {
		v := &a.Wants[i]
		why := names.Misfit(s.box, a.Tool, a.Name, v)
		if why == "" {
			continue
		}
		text := fmt.Sprintf("%s: %s: %s %s, by the schema of %s", v.Pos, a.Where, a.Name, why, a.Tool)
		s.warnOnce(text)
	}
}

// warnOnce keeps a warning for the end of the trial.
func (s *session) warnOnce(text string) {
	if !slices.Contains(s.misfits, text) {
		s.misfits = append(s.misfits, text)
	}
}

// reportMisfits warns of such values: a check that forbids one of them never fails. With --strict such a trial is an
// error.
func (s *session) reportMisfits() {
	s.out.Warnings = append(s.out.Warnings, s.misfits...)
	if len(s.misfits) > 0 && s.opts.Strict && s.out.Error == "" && s.out.Status != result.Cancelled {
		s.out.Error = s.misfits[0]
	}
}
