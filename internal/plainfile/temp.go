package plainfile

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/filelock"
)

// TempPattern matches the names of files that Replace has not finished.
const TempPattern = ".arena-tmp-*"

// Probe tries whether a file can be made in a folder.
func Probe(dir string) error {
	f, err := temp(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// temp makes a file with a name of its own, and locks it as long as it is open. The first one in a folder sweeps it.
func temp(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, TempPattern)
	if err != nil {
		return nil, err
	}
	_ = filelock.Lock(f) // where there are no locks, nothing is swept either
	if _, before := swept.LoadOrStore(filepath.Clean(dir), true); !before {
		sweep(f)
	}
	return f, nil
}

// swept are the folders in which this process has looked.
var swept sync.Map

// leftFor is how old a file has to be before it is swept. Between making a file and locking it, and between closing it
// and giving it its name, nobody holds its lock.
const leftFor = time.Minute

// tempName is a name that CreateTemp makes of TempPattern.
var tempName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.arena-tmp-[0-9]+$`) })

// sweep removes what killed processes have left of temporary files in the folder of a new one.
func sweep(fresh *os.File) {
	if now, err := fresh.Stat(); err == nil {
		sweepBefore(filepath.Dir(fresh.Name()), now.ModTime().Add(-leftFor))
	}
}

// Sweep removes what killed processes have left of temporary files in a folder into which nobody else writes.
func Sweep(dir string) { sweepBefore(dir, time.Time{}) }

// sweepBefore removes files that are older; the zero time is all of them. What cannot be removed stays: it is in
// nobody's way.
func sweepBefore(dir string, before time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !tempName().MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && (before.IsZero() || info.ModTime().Before(before)) {
			removeUnlocked(filepath.Join(dir, e.Name()))
		}
	}
}

// removeUnlocked removes a file that no living process has locked.
func removeUnlocked(path string) {
	f, err := filelock.Open(path)
	if err != nil {
		return
	}
	if filelock.Lock(f) == nil {
		_ = os.Remove(path)
	}
	_ = f.Close()
}
