package harness

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/arena-evals/arena/internal/plainfile"
)

// DefaultKeep is how many journals of earlier runs stay beside that of the last one.
const DefaultKeep = 10

// OpenJournal starts an empty journal. Those of the runs before are kept under other names, because they may hold
// results that were paid for; reports that they left are removed, so that none can be taken for this run's.
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

// draftName is a journal that is not whole yet.
const draftName = ".journal.draft.jsonl"

// Draft starts a journal that takes the place of the last one when Adopt is called.
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

// LastJournal opens the journal to go on with, for reading and to go on writing it: that of the last run, unless
// another one is named. Nothing else is touched.
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

// Resume begins to go on with a journal that LastJournal has opened: it gets its name, and the reports of its run go.
// One that has the name now gets that of an earlier run.
func (o *Outputs) Resume(journal *os.File) error {
	if journal.Name() != filepath.Join(o.Dir, JournalName) {
		if err := o.recall(journal.Name()); err != nil {
			return err
		}
	}
	return o.removeReports()
}

// rescuedName is the journal of a run whose folder was taken by another one.
const rescuedName = "journal.rescued.jsonl"

// Rescue writes a journal that was removed while its run went on, as with its whole folder, into its place again. When
// the journal of another run is there, it gets another name. The error says so; nil: it is where it was. rescued is the
// other name, or empty.
func (o *Outputs) Rescue(journal *os.File) (rescued string, err error) {
	info, err := journal.Stat()
	if err != nil {
		return "", err
	}
	path := filepath.Join(o.Dir, JournalName)
	there, err := os.Stat(path)
	if err == nil && os.SameFile(info, there) {
		return "", nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		path = filepath.Join(o.Dir, rescuedName)
		rescued = path
	}
	if err := plainfile.MakeDir(o.Dir); err != nil {
		return rescued, fmt.Errorf("%s was removed while the run went on, and cannot be written again: %w", path, err)
	}
	err = plainfile.Replace(path, 0o644, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(journal, 0, info.Size()))
		return err
	})
	switch {
	case err != nil:
		return rescued, fmt.Errorf("%s was removed while the run went on, and cannot be written again: %w", path, err)
	case rescued != "":
		return rescued, fmt.Errorf("the journal was removed while the run went on, and another run writes into %s: "+
			"it is in %s now\nfor its reports: arena report %s -o FOLDER", o.Dir, path, path)
	}
	return "", fmt.Errorf("%s was removed while the run went on, and was written again", path)
}

// removeReports removes the reports of the run before.
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

// keepJournal gives the last journal the first of the names of older ones, each of which moves on by one until a name
// is free. Only when there are as many as are kept, the oldest goes. A journal without a trial makes way by itself.
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

// holdsTrials reports whether a journal holds anything that may have been paid for. What is not known to be empty may.
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
