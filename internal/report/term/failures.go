package term

import (
	"fmt"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// maxFailures bounds the failures that are shown in full; -v shows all.
const maxFailures = 100

// failures writes each failure once, however many trials failed in that way. Trials are not kept: they are read twice,
// one at a time.
func (p *Printer) failures(run *result.Run) error {
	all, err := show.Failures(run)
	if err != nil {
		return err
	}
	groups, judgesLeft := groupsOf(run), false
	for i, f := range all {
		if p.opts.Verbosity == 0 && i == maxFailures {
			p.print([]*row{{}, (&row{}).add(bold, fmt.Sprintf("… and %s; the reports and -v list all",
				show.Plural(len(all)-i, "more failure")))})
			break
		}
		t, err := run.Trials.Trial(f[0])
		if err != nil {
			return fmt.Errorf("trial %s: %w", run.Briefs.At(f[0]).ID, err)
		}
		b := block{p: p, run: run, members: f, groups: groups, trial: t, width: p.width()}
		p.print(b.render())
		judgesLeft = judgesLeft || show.JudgesLeftOpen(t)
	}
	if judgesLeft && p.opts.Rejudge != "" {
		p.print([]*row{{}, (&row{}).add(plain, "Judges could not judge. To ask only them again, and no agent: ").
			add(plain, show.Line(p.opts.Rejudge))})
	}
	return nil
}

// groupsOf maps the index in Run.Briefs of each trial to its group. It leaves out groups of one trial.
func groupsOf(run *result.Run) map[int]*show.Group {
	of := map[int]*show.Group{}
	for g := range show.GroupsOf(run).Several() {
		for _, i := range g.Trials {
			of[i] = g
		}
	}
	return of
}
