package cli

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
)

// formerRun is an earlier run whose journal is in a folder.
type formerRun struct {
	journal string
	result.Skimmed
}

// resume is the command that resumes the run.
func (r *formerRun) resume(flag string) string {
	if !isArenaRun(&r.Header) {
		return quoted(append(slices.Clone(r.Header.Resume), r.journal))
	}
	return quoted([]string{"arena", "run", flag, r.journal})
}

// size says how many trials the run has, and how many are left.
func (r *formerRun) size() string {
	text := plural.Of(r.Header.Planned, "trial", "trials")
	if r.Unfinished > 0 {
		text += fmt.Sprintf(", of which %d did not finish", r.Unfinished)
	}
	return text
}

// isArenaRun reports whether arena run wrote a journal.
func isArenaRun(h *result.JournalHeader) bool {
	return h.Journal > 0 && len(h.Command) > 1 && h.Command[1] == "run"
}

// isOurs reports whether this command can resume the run of a journal.
func (f *runFlags) isOurs(h *result.JournalHeader) bool {
	if f.judgesOver() {
		return len(h.Command) > 1 && h.Command[1] == f.words[1] && len(h.Resume) > 0
	}
	return isArenaRun(h)
}

// noteReplacedRun tells of the run that this one replaces in the results folder, if that run is unfinished, or is a
// larger one of which this run is a part.
func (f *runFlags) noteReplacedRun(app *App, out *harness.Outputs, trials int, now *result.Spec) {
	replaces := f.journal != "" && f.journal != harness.JournalName
	if f.quiet || f.resumes() && !replaces {
		return
	}
	was := formerRun{journal: filepath.Join(out.Dir, harness.JournalName)}
	var err error
	if was.Skimmed, err = harness.Skim(was.journal); err != nil || !f.isOurs(&was.Header) {
		return // errors are reported when the journal is moved
	}
	was.journal = filepath.Join(out.Dir, harness.KeptAs(f.journal))
	if was.Unfinished == was.Header.Planned { // none of its trials would be kept
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

// widerRun returns the latest run before the last one that has trials which the last one left out (by its filters, or
// by mock replies), if it is unfinished or larger; nil: none.
func widerRun(last *result.Spec, planned int, dir string) *formerRun {
	for _, journal := range harness.PreviousJournals(dir) {
		run, err := harness.Skim(journal)
		if err != nil || !isArenaRun(&run.Header) || run.Header.Spec == nil {
			continue
		}
		if was := run.Header.Spec; run.Unfinished > 0 && leavesOut(last, was) ||
			run.Header.Planned > planned && isPart(last, was) {
			return &formerRun{journal, run}
		}
	}
	return nil
}

// leavesOut reports whether a run may leave out trials of an earlier one.
func leavesOut(now, was *result.Spec) bool {
	if len(now.Paths) > 0 && !slices.Equal(now.Paths, was.Paths) {
		return true
	}
	words := now.Narrowing(nil)
	return len(words) > 0 && !slices.Equal(words, was.Narrowing(nil))
}

// isPart reports whether a run may be a part of an earlier one: by filters, or by fewer files.
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

// inheritedFilters are the flags of Spec.Narrowing that came from the resumed run.
func (f *runFlags) inheritedFilters() []string {
	if f.earlier == nil {
		return nil
	}
	return f.earlier.Narrowing(func(flag string) bool { return f.given[flag] == byEarlierRun })
}

// refuseWiderRun fails where the last run has nothing left to run, but was only a part of an earlier run. It does
// nothing if the user names the journal or the files: then that run is meant.
func (f *runFlags) refuseWiderRun(dir string, planned int) error {
	if f.earlier == nil || f.journal != "" || len(f.narrowing(f.given)) > 0 {
		return nil
	}
	before := widerRun(f.earlier, planned, dir)
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

// namedRun takes the results folder, or the journal, of the run to resume from the paths of the command line.
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
