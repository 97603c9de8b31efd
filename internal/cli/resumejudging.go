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

// judgesOver reports whether the command judges finished conversations, without agents.
func (f *runFlags) judgesOver() bool { return f.words[1] != "run" }

// registerResumeJudging registers --resume for a command that judges.
func (f *runFlags) registerResumeJudging(fl *pflag.FlagSet) {
	fl.BoolVar(&f.resume, "resume", false, "go on with the last judgement in the folder: keep what was judged and is\n"+
		"asked for unchanged, judge the rest and what could not be judged")
}

// namedJudgement takes the folder, or the journal, of the judgement to resume from the arguments. Other runs stay
// there: they may be what is judged.
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

// refuseUnjudged refuses to resume a judgement of other conversations: the reports would contain conversations that
// were not named, or lose some.
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

// unjudgeable reports whether a trial of a judgement ended in an error: the judge may be available now. Replies of
// judges are reused.
func (f *runFlags) unjudgeable(e *result.Entry) bool {
	return f.judgesOver() && e.Status == result.Errored
}

// supersededEntries are the entries that are not kept. Their replies of judges are reused.
func (r *resumption) supersededEntries() []*result.Entry {
	kept := map[*result.Entry]bool{}
	for _, e := range r.kept {
		kept[e] = true
	}
	return slices.DeleteFunc(slices.Clone(r.ledger.Entries), func(e *result.Entry) bool { return kept[e] || e.Dropped })
}
