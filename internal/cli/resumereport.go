package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// Messages of --resume and --last-failed about the resumed run.

// nothing says why --last-failed has nothing to run. failOn are the reasons that make the run red, besides failures and
// errors.
func (r *resumption) nothing(failOn []string) error {
	was := *r.ledger.Run
	was.FailOn = failOn
	if reasons := was.RedBy(); len(reasons) > 0 && r.changed == 0 && len(r.vanishedFailures) == 0 {
		return redWithoutFailure(&was, reasons)
	}
	if over := was.Overdue(); len(over) > 0 && r.changed == 0 && len(r.vanishedFailures) == 0 {
		return fmt.Errorf("--last-failed: no trial failed in the last run; %s\n"+
			"nothing was touched, and the reports stay as they are", show.Overdue(over[0]))
	}
	if r.changed > 0 {
		return fmt.Errorf("--last-failed: nothing failed in the last run; %s before the files or flags changed\n"+
			"arena run --resume runs what changed; nothing was touched", plural.Of(r.changed, "trial passed", "trials passed"))
	}
	if n := len(r.vanishedFailures); n > 0 {
		return fmt.Errorf("--last-failed: what did not pass in the last run is not in the plan any more: %s\n"+
			"bring %s back, or run what there is: arena run; nothing was touched, and the reports stay as they are",
			someIDs(r.vanishedFailures), plural.Of(n, "trial", "trials"))
	}
	passed := "every trial of this plan passed"
	if n := toleratedTrials(&was); n > 0 {
		passed = fmt.Sprintf("no scenario of this plan failed (%s did, which its group allows)", plural.Count(n, "trial"))
	}
	return fmt.Errorf("--last-failed: %s in the last run, so there is nothing to run again\n"+
		"the reports stay as they are; arena run without that flag runs all of it again", passed)
}

// toleratedTrials counts failed trials in groups that passed.
func toleratedTrials(run *result.Run) (n int) {
	for _, b := range run.Briefs.All() {
		if b.Status == result.Failed && !b.Gone {
			n++
		}
	}
	return n
}

// hintJudgesLeftOpen suggests rejudge, which calls no agent, where only judges failed.
func (r *resumption) hintJudgesLeftOpen(app *App) error {
	n, kept := 0, map[*result.Entry]bool{}
	for _, e := range r.kept {
		kept[e] = true
	}
	for _, e := range r.ledger.Entries {
		if e.Status != result.Errored || e.Dropped || kept[e] {
			continue
		}
		t, err := r.ledger.Trial(e)
		if err != nil {
			return err
		}
		if show.JudgesLeftOpen(t) {
			n++
		}
	}
	if n > 0 {
		app.remark("in %s only judges could not judge, and --last-failed asks the agents again too: "+
			"%s asks the judges alone", plural.Of(n, "trial", "trials"), rejudging(filepath.Dir(r.file)))
	}
	return nil
}

const maxDamage = 10

// reportDamage names damaged lines of a journal.
func (a *App) reportDamage(name string, ledger *result.JournalContent) {
	if ledger.Cut {
		a.complain(fmt.Errorf("%s: the last line is cut, as a killed run leaves it; it was left out", name))
	}
	if ledger.HeaderLost {
		a.complain(fmt.Errorf("%s: %s", name, result.HeaderLost))
	}
	for i, d := range ledger.Damaged {
		if i == maxDamage {
			a.complain(fmt.Errorf("%s: %d more lines were left out", name, len(ledger.Damaged)-i))
			break
		}
		a.complain(fmt.Errorf("%s: line %d was left out: %w", name, d.Line, d.Why))
	}
}

// reportKept says how many trials are kept and how many run.
func (x *execution) reportKept() {
	p := x.resumed
	if p == nil {
		return
	}
	for _, text := range p.warnings {
		x.app.printMessage("warning: " + text)
	}
	if x.flags.quiet {
		return
	}
	if words := x.flags.inheritedFilters(); len(words) > 0 {
		x.app.remark("%s: made as the run before, with %s", x.flags.resumeFlag(), quoted(words))
	}
	if flags := x.flags.notInherited; len(flags) > 0 {
		x.app.remark("the run was made with --%s too, which this one does not take over: name what is wanted again",
			strings.Join(flags, ", --"))
	}
	more := ""
	if n := len(p.unjudged); n > 0 {
		more = fmt.Sprintf(", %d to be judged again by evals that could not", n)
	}
	x.app.remark("%s: %s kept from before, %s to run%s", x.flags.resumeFlag(), plural.Of(len(p.kept), "trial", "trials"),
		plural.Of(p.toRun-len(p.unjudged), "trial", "trials"), more)
	if p.outdated > 0 {
		x.app.remark("%s run again because files or flags changed since; where only checks did, arena rejudge %s judges by "+
			"them what was said, and calls no agent",
			plural.Of(p.outdated, "finished trial is", "finished trials are"), x.job.Outputs.Dir)
	}
	if p.changed > 0 {
		x.app.remark("%s before the files or flags changed, and not run again: arena run --resume does",
			plural.Of(p.changed, "trial passed", "trials passed"))
	}
}
