package runner

import (
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// quarantines are those of all scenarios of a suite, even without trials in the plan, so that all shards have the same.
func quarantines(suite *scenario.Suite) (all []result.Quarantine) {
	for _, p := range suite.Projects {
		for _, s := range p.Scenarios {
			if q := s.Quarantine; q != nil {
				all = append(all, result.Quarantine{
					Scenario: s.ID, Position: diag.Pos{File: s.Pos.File, Line: q.Pos.Line, Col: q.Pos.Col},
					Until: q.Until.Format(time.DateOnly), Reason: q.Reason, Owner: q.Owner,
				})
			}
		}
	}
	return all
}

// ReportQuarantines warns of quarantines that last more than a year from now. It refuses those that have ended by
// today, if the clock of the run is fixed before their end: they would never end.
func ReportQuarantines(suite *scenario.Suite, now, today time.Time, d *diag.List) {
	latest := now.UTC().AddDate(1, 0, 0)
	for _, p := range suite.Projects {
		for _, s := range p.Scenarios {
			q := s.Quarantine
			if q == nil {
				continue
			}
			until := q.Until.Format(time.DateOnly)
			if result.QuarantineOver(until, today) && !result.QuarantineOver(until, now) {
				d.Errorf(q.UntilPos, 0, "quarantine-over", "the quarantine of the scenario %q ended on %s, and "+
					"SOURCE_DATE_EPOCH, which is on %s, would go on with it", s.ID, until, now.UTC().Format(time.DateOnly)).Hint =
					"take the quarantine out, or leave SOURCE_DATE_EPOCH out of the environment"
			}
			if q.Until.After(latest) {
				d.Warnf(q.UntilPos, 0, "long-quarantine", "the scenario %q decides nothing until %s, for more than a year",
					s.ID, q.Until.Format(time.DateOnly)).Hint = "name a day on which somebody looks again, or skip the scenario"
			}
		}
	}
}

// decides reports whether the outcome of a trial can make the run red.
func (c *worker) decides(t *Trial) bool { return c.opts.decides(t.Scenario) }

// decides reports whether the outcomes of a scenario's trials can make the run red.
func (o *Options) decides(s *scenario.Scenario) bool {
	q := s.Quarantine
	return q == nil || result.QuarantineOver(q.Until.Format(time.DateOnly), o.Started)
}
