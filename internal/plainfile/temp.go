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

// swept are the folders that this process has swept.
var swept sync.Map

// leftFor is the minimum age of a file that is swept. Between its creation and its lock, and between its close and its
// rename, a file is not locked.
const leftFor = time.Minute

// tempName is a name that CreateTemp makes of TempPattern.
var tempName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.arena-tmp-[0-9]+$`) })

// sweep removes what killed processes have left of temporary files in the folder of a new one.
func sweep(fresh *os.File) {
	if now, err := fresh.Stat(); err == nil {
		sweepBefore(filepath.Dir(fresh.Name()), now.ModTime().Add(-leftFor))
	}
}

// Sweep removes temporary files of killed processes from a folder of which this process is the only writer.
func Sweep(dir string) { sweepBefore(dir, time.Time{}) }

// sweepBefore removes older files; the zero time means all. Files that cannot be removed stay.
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
