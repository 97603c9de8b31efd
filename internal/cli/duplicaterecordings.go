package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
)

// withoutDuplicates drops recordings with the same content as others: a journal beside its results, and copies. Each
// conversation is judged once.
func (a *App) withoutDuplicates(files []string) []string {
	var kept []string
	for _, file := range files {
		same := func(other string) bool { return other != file && a.sameConversations(file, other) }
		if filepath.Base(file) == harness.JournalName {
			if at := slices.IndexFunc(files, same); at >= 0 && filepath.Base(files[at]) == harness.ResultsName {
				a.remark("%s holds the same conversations as %s, which are judged once", file, files[at])
				continue
			}
		}
		if at := slices.IndexFunc(kept, same); at >= 0 {
			a.remark("%s holds the same conversations as %s, which are judged once", file, kept[at])
			continue
		}
		kept = append(kept, file)
	}
	return kept
}

// sameConversations reports whether two files are the same file, copies, or the journal and the results of one run.
func (a *App) sameConversations(file, other string) bool {
	x, errX := os.Stat(file)
	y, errY := os.Stat(other)
	if errX != nil || errY != nil {
		return false // reported when it is read
	}
	if os.SameFile(x, y) {
		return true
	}
	if filepath.Dir(file) == filepath.Dir(other) && filepath.Base(file) == harness.JournalName &&
		filepath.Base(other) == harness.ResultsName {
		return true
	}
	if x.Size() != y.Size() || x.Size() == 0 {
		return false
	}
	one, errX := plainfile.Read(file)
	two, errY := plainfile.Read(other)
	return errX == nil && errY == nil && bytes.Equal(one, two)
}
