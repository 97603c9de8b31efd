package term

import (
	"fmt"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// maxFailures bounds the failures that are shown in full; -v shows all.
const maxFailures = 100

// failures writes each way to fail once. Trials are read twice, one at a time, rather than kept.
func (p *Printer) failures(run *result.Run) error {
	all, err := show.Failures(run)
	if err != nil {
		return err
	}
	groups := groupsOf(run)
	for i, f := range all {
		if p.opts.Verbosity == 0 && i == maxFailures {
			p.print([]*row{{}, (&row{}).add(bold, fmt.Sprintf("… and %s; the reports and -v list all",
				show.Plural(len(all)-i, "more failure")))})
			break
		}
		t, err := run.Trials.Trial(f[0])
		if err != nil {
			return fmt.Errorf("trial %s: %w", run.Briefs[f[0]].ID, err)
		}
		b := block{p: p, run: run, members: f, groups: groups, trial: t, width: p.width()}
		p.print(b.render())
	}
	return nil
}

// groupsOf finds the group of a trial of several by its index in Run.Briefs.
func groupsOf(run *result.Run) map[int]*show.Group {
	of := map[int]*show.Group{}
	if len(run.Groups) == 0 {
		return of
	}
	all := show.Groups(run)
	for g := range all {
		if all[g].Stats == nil {
			continue
		}
		for _, i := range all[g].Trials {
			of[i] = &all[g]
		}
	}
	return of
}
