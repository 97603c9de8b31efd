package harness

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/arena-evals/arena/internal/plainfile"
)

// DefaultKeep is the number of journals of earlier runs that are kept beside that of the last run.
const DefaultKeep = 10

// OpenJournal creates an empty journal. Journals of earlier runs are renamed and kept, because they may hold paid
// results. The reports of the last run are removed, so that none is mistaken for a report of this run.
func (o *Outputs) OpenJournal() (*os.File, error) {
	path := filepath.Join(o.Dir, JournalName)
	if err := plainfile.Dangling(path); err != nil {
		return nil, fmt.Errorf("%w\nremove the link", err)
	}
	if err := errors.Join(o.removeReports(), o.keepJournal(path)); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
}

// draftName is the name of a journal that is not complete yet.
const draftName = ".journal.draft.jsonl"

// Draft creates a journal that replaces the last one when Adopt is called.
func (o *Outputs) Draft() (*os.File, error) {
	path := filepath.Join(o.Dir, draftName)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
}

// Adopt makes a draft the journal of the folder, as OpenJournal does with a new one.
func (o *Outputs) Adopt(draft *os.File) error {
	path := filepath.Join(o.Dir, JournalName)
	if err := plainfile.Dangling(path); err != nil {
		return fmt.Errorf("%w\nremove the link", err)
	}
	if err := errors.Join(o.removeReports(), o.keepJournal(path)); err != nil {
		return err
	}
	return os.Rename(draft.Name(), path)
}

// LastJournal opens the journal of the run to resume, for reading and appending: that of the last run, or Resumes. It
// changes nothing.
func (o *Outputs) LastJournal() (*os.File, error) {
	path := LastJournalIn(o.Dir)
	if o.Resumes != "" {
		path = filepath.Join(o.Dir, o.Resumes)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no plain file", path)
	}
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
}

// HoldsJournal reports whether a folder holds the journal that LastJournal opens.
func HoldsJournal(dir string) bool { return exists(LastJournalIn(dir)) }

// Resume prepares the folder for a run that continues a journal from LastJournal. The journal gets the name
// JournalName; another journal of that name becomes an earlier one. The reports are removed.
func (o *Outputs) Resume(journal *os.File) error {
	if journal.Name() != filepath.Join(o.Dir, JournalName) {
		if err := o.swapJournals(journal.Name()); err != nil {
			return err
		}
	}
	return o.removeReports()
}

// rescuedName is the journal of a run whose folder another run has taken over.
const rescuedName = "journal.rescued.jsonl"

// Rescue writes a journal again that was removed during its run, for example with its folder. If there is a journal of
// another run now, it gets another name, rescued. The error says what happened; nil: the journal was not removed.
func (o *Outputs) Rescue(journal *os.File) (rescued string, err error) {
	path := filepath.Join(o.Dir, JournalName)
	where, err := plainfile.Find(journal, path)
	if err != nil || where == plainfile.InPlace {
		return "", err
	}
	if where == plainfile.Replaced {
		path = filepath.Join(o.Dir, rescuedName)
		rescued = path
	}
	err = plainfile.Again(journal, path)
	switch {
	case err != nil:
		return rescued, fmt.Errorf("%s was removed while the run went on, and cannot be written again: %w", path, err)
	case rescued != "":
		return rescued, fmt.Errorf("the journal was removed while the run went on, and another run writes into %s: "+
			"it is in %s now\nfor its reports: arena report %s -o FOLDER", o.Dir, path, path)
	}
	return "", fmt.Errorf("%s was removed while the run went on, and was written again", path)
}

// removeReports removes the reports of the last run.
func (o *Outputs) removeReports() error {
	for _, old := range o.leftovers() {
		if Device(old) {
			continue
		}
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// keepJournal renames the last journal to the first of the names for earlier ones. Journals with these names move on by
// one, up to the first free name. If Keep journals exist, the oldest is overwritten. A journal without trials is
// removed.
func (o *Outputs) keepJournal(path string) error {
	if holds, err := holdsTrials(path); err != nil || !holds {
		if err == nil {
			err = os.Remove(path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	keep := o.Keep
	if keep < 1 {
		keep = DefaultKeep
	}
	free := 1
	for free < keep && exists(filepath.Join(o.Dir, previousName(free))) {
		free++
	}
	for n := free; n > 1; n-- {
		if err := os.Rename(filepath.Join(o.Dir, previousName(n-1)), filepath.Join(o.Dir, previousName(n))); err != nil {
			return err
		}
	}
	return os.Rename(path, filepath.Join(o.Dir, previousName(1)))
}

// holdsTrials reports whether a journal may hold paid results. In doubt it does.
func holdsTrials(path string) (bool, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // read only
	in := bufio.NewReader(f)
	first, err := in.ReadBytes('\n')
	if !bytes.HasPrefix(first, []byte(`{"journal":`)) && len(first) > 0 || bytes.Contains(first, []byte(`"kept":[`)) {
		return true, nil
	}
	if err != nil {
		return false, nil
	}
	next, _ := in.Peek(len(endPrefix))
	return len(next) > 0 && string(next) != endPrefix, nil
}

const endPrefix = `{"end":`
