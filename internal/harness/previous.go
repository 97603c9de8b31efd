package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/result"
)

// previousName returns the name of the journal of the n-th run before the last one.
func previousName(n int) string {
	if n == 1 {
		return "journal.previous.jsonl"
	}
	return fmt.Sprintf("journal.previous.%d.jsonl", n)
}

var previousNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^journal\.previous(\.[0-9]+)?\.jsonl$`)
})

// PreviousJournal reports whether a file has the name of the journal of an earlier run.
func PreviousJournal(path string) bool { return previousNames().MatchString(filepath.Base(path)) }

// LastJournalIn returns the path of the journal of the last run in a folder. It may not exist.
func LastJournalIn(dir string) string {
	path := filepath.Join(dir, JournalName)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) { // a run was killed before it created its journal
		if previous := filepath.Join(dir, previousName(1)); exists(previous) {
			return previous
		}
	}
	return path
}

// KeptAs returns the name that the journal of the last run gets when another run starts. resumes is the name of the
// journal that the other run resumes; "": none.
func KeptAs(resumes string) string {
	if resumes == "" {
		return previousName(1)
	}
	return resumes
}

// PreviousJournals lists the journals of earlier runs in a folder, latest first.
func PreviousJournals(dir string) (paths []string) {
	for n := 1; ; n++ {
		path := filepath.Join(dir, previousName(n))
		if !exists(path) {
			return paths
		}
		paths = append(paths, path)
	}
}

// Skim reads the first and the last line of the last run in a journal.
func Skim(path string) (result.Skimmed, error) {
	file, err := plainfile.Open(path)
	if err != nil {
		return result.Skimmed{}, err
	}
	defer func() { _ = file.Close() }() // read only
	return result.SkimJournal(file)
}

// swapJournals exchanges the journal of an earlier run and that of the last one. If the process ends meanwhile, each of
// them still exists under one of the names.
func (o *Outputs) swapJournals(journal string) error {
	path := filepath.Join(o.Dir, JournalName)
	if holds, err := holdsTrials(path); err == nil && !holds || errors.Is(err, fs.ErrNotExist) {
		return os.Rename(journal, path)
	}
	free := 1
	for exists(filepath.Join(o.Dir, previousName(free))) {
		free++
	}
	aside := filepath.Join(o.Dir, previousName(free))
	for _, move := range [][2]string{{path, aside}, {journal, path}, {aside, journal}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			return err
		}
	}
	return nil
}
