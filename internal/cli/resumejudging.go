package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// judgesOver reports whether the command judges conversations that are over: it asks judges, and no agent.
func (f *runFlags) judgesOver() bool { return f.words[1] != "run" }

// registerResumeJudging registers --resume for a command that judges.
func (f *runFlags) registerResumeJudging(fl *pflag.FlagSet) {
	fl.BoolVar(&f.resume, "resume", false, "go on with the last judgement in the folder: keep what was judged and is\n"+
		"asked for unchanged, judge the rest and what could not be judged")
}

// namedJudgement takes the results folder, or the journal, of the judgement to go on with from the arguments. Other
// runs stay there: they may be what is to be judged.
func (f *runFlags) namedJudgement(args []string) (rest []string, err error) {
	if !f.resume {
		return args, nil
	}
	for i, arg := range args {
		journal := arg
		if harness.HoldsJournal(arg) {
			journal = harness.LastJournalIn(arg)
		}
		run, err := harness.Skim(journal)
		if err != nil || len(run.Header.Command) < 2 || run.Header.Command[1] != f.words[1] {
			continue
		}
		taken, err := f.namedRun(args[i : i+1])
		if err != nil || len(taken) == 0 {
			return slices.Delete(slices.Clone(args), i, i+1), err
		}
	}
	return args, nil
}

// refuseUnjudged refuses to go on with a judgement of conversations that this command does not judge: the reports would
// tell of some that are not what was named, or lose them.
func (f *runFlags) refuseUnjudged(r *resumption, plan *runner.Plan) error {
	gone := r.missing(plan)
	if len(gone) == 0 {
		return nil
	}
	var ids []string
	for _, i := range gone {
		ids = append(ids, r.ledger.Current[i].ID)
	}
	return fmt.Errorf("--resume: the judgement in the folder has %s that this command does not judge: %s\n"+
		"go on with that one: %s\nor leave --resume out: its journal is kept beside the new one",
		plural.Of(len(ids), "trial", "trials"), someIDs(ids), quoted(r.ledger.Header.Resume))
}

// unjudgeable are the trials of a judgement that ended in an error: a judge that was not there may be now. What was
// said of them is kept, and only what was not is asked.
func (f *runFlags) unjudgeable(e *result.Entry) bool {
	return f.judgesOver() && e.Status == result.Errored
}

// answered are the trials of a judgement that are not kept: their judges are not asked again for the same.
func (r *resumption) answered() []*result.Entry {
	kept := map[*result.Entry]bool{}
	for _, e := range r.kept {
		kept[e] = true
	}
	return slices.DeleteFunc(slices.Clone(r.ledger.Entries), func(e *result.Entry) bool { return kept[e] || e.Dropped })
}
