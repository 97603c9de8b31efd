package cli

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
)

// formerRun is a run that a folder holds the journal of, and not the reports.
type formerRun struct {
	journal string
	result.Skimmed
}

// resume is the command that goes on with the run.
func (r *formerRun) resume(flag string) string {
	if !ofRun(&r.Header) {
		return quoted(append(slices.Clone(r.Header.Resume), r.journal))
	}
	return quoted([]string{"arena", "run", flag, r.journal})
}

// size says how many trials the run has, and how many of them are left.
func (r *formerRun) size() string {
	text := plural.Of(r.Header.Planned, "trial", "trials")
	if r.Unfinished > 0 {
		text += fmt.Sprintf(", of which %d did not finish", r.Unfinished)
	}
	return text
}

// ofRun reports whether a journal is that of arena run.
func ofRun(h *result.JournalHeader) bool {
	return h.Journal > 0 && len(h.Command) > 1 && h.Command[1] == "run"
}

// isOurs reports whether this command can go on with the run of a journal.
func (f *runFlags) isOurs(h *result.JournalHeader) bool {
	if f.judgesOver() {
		return len(h.Command) > 1 && h.Command[1] == f.words[1] && len(h.Resume) > 0
	}
	return ofRun(h)
}

// noteReplacedRun tells of a run whose place in the results folder this one of so many trials takes, where it is not
// finished, or has more of them and this one is asked for less.
func (f *runFlags) noteReplacedRun(app *App, out *harness.Outputs, trials int, now *result.Spec) {
	replaces := f.journal != "" && f.journal != harness.JournalName
	if f.quiet || f.resumes() && !replaces {
		return
	}
	was := formerRun{journal: filepath.Join(out.Dir, harness.JournalName)}
	var err error
	if was.Skimmed, err = harness.Skim(was.journal); err != nil || !f.isOurs(&was.Header) {
		return // what is wrong with it is told when it is moved
	}
	was.journal = filepath.Join(out.Dir, harness.KeptAs(f.journal))
	if was.Unfinished == was.Header.Planned { // no trial of it is kept
		return
	}
	switch {
	case was.Unfinished > 0:
		app.remark("this run takes the place of one of %s; to go on with that one: %s", was.size(), was.resume("--resume"))
	case !f.judgesOver() && was.Header.Planned > trials && was.Header.Spec != nil && isPart(now, was.Header.Spec):
		app.remark("this run, of %s, takes the place of one of %d; to have that one back: %s",
			plural.Of(trials, "trial", "trials"), was.Header.Planned, was.resume("--resume"))
	}
}

// wider is the latest of the runs before the last one into a folder that has what the last one left out: trials that
// its filters leave out, or that others than mock replies were to answer, and that are not finished or more. nil: there
// is none.
func wider(last *result.Spec, planned int, dir string) *formerRun {
	for _, journal := range harness.PreviousJournals(dir) {
		run, err := harness.Skim(journal)
		if err != nil || !ofRun(&run.Header) || run.Header.Spec == nil {
			continue
		}
		if was := run.Header.Spec; run.Unfinished > 0 && leavesOut(last, was) ||
			run.Header.Planned > planned && isPart(last, was) {
			return &formerRun{journal, run}
		}
	}
	return nil
}

// leavesOut reports whether what is asked of a run may leave out what was asked of one before.
func leavesOut(now, was *result.Spec) bool {
	if len(now.Paths) > 0 && !slices.Equal(now.Paths, was.Paths) {
		return true
	}
	words := now.Narrowing(nil)
	return len(words) > 0 && !slices.Equal(words, was.Narrowing(nil))
}

// isPart reports whether what is asked of a run may be a part of what was asked of one before: by filters, or by some
// of its files.
func isPart(now, was *result.Spec) bool {
	within := func(path string) bool {
		return slices.ContainsFunc(was.Paths, func(p string) bool {
			rel, err := filepath.Rel(p, path)
			return err == nil && filepath.IsLocal(rel)
		})
	}
	other := len(was.Paths) > 0 && (len(now.Paths) == 0 || slices.ContainsFunc(now.Paths, func(path string) bool {
		return !within(path)
	}))
	return !other && leavesOut(now, was)
}

// tookOver are those flags of Spec.Narrowing that nobody named now: they are those of the run that is gone on with.
func (f *runFlags) tookOver() []string {
	if f.earlier == nil {
		return nil
	}
	return f.earlier.Narrowing(func(flag string) bool { return f.given[flag] == byEarlierRun })
}

// leftBehind refuses to end well where nothing is left to run of the last run into the folder, which was only a part of
// one before. Whoever names the journal, or says again what is to be run, wants that run.
func (f *runFlags) leftBehind(dir string, planned int) error {
	if f.earlier == nil || f.journal != "" || len(f.narrowing(f.given)) > 0 {
		return nil
	}
	before := wider(f.earlier, planned, dir)
	if before == nil {
		return nil
	}
	how := ""
	if words := f.earlier.Narrowing(nil); len(words) > 0 {
		how = ", which was made with " + quoted(words)
	} else if len(f.earlier.Paths) > 0 {
		how = " of " + quoted(f.earlier.Paths)
	}
	stay := ""
	if f.resume {
		stay = "\nto stay with the last one, name its journal: " +
			quoted([]string{"arena", "run", f.resumeFlag(), filepath.Join(dir, harness.JournalName)})
	}
	return fmt.Errorf("%s: there is nothing to run of the last run into %s%s, and one before it has %s\n"+
		"go on with that one: %s%s", f.resumeFlag(), dir, how, before.size(), before.resume(f.resumeFlag()), stay)
}

// namedRun takes the results folder, or the journal, of the run to go on with from the paths of the command line.
func (f *runFlags) namedRun(paths []string) (rest []string, err error) {
	for i, path := range paths {
		dir, journal := path, ""
		if name := filepath.Base(path); name == harness.JournalName || harness.PreviousJournal(name) {
			dir, journal = filepath.Dir(path), name
		}
		if journal == "" && !harness.HoldsJournal(dir) || journal != "" && !exists(path) {
			continue
		}
		if f.given.typed("out") && !sameFile(dir, f.out) {
			if harness.PreviousJournal(journal) {
				return nil, fmt.Errorf("%s is continued in its own folder, and -o names another one: %s\nleave one of them out",
					path, f.out)
			}
			continue
		}
		f.out, f.journal, f.given["out"] = dir, journal, byUser
		return slices.Delete(slices.Clone(paths), i, i+1), nil
	}
	return paths, nil
}
