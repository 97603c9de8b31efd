package harness

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/arena-evals/arena/internal/filelock"
)

// lockName is the file that names the process that writes into a results folder. The file is not removed; the lock is
// that of the operating system, and ends with the process.
const lockName = ".arena-results.lock"

// Lock locks the results folder, the reports outside of it, and others, against other processes, until unlock is called
// or the process ends.
func (o *Outputs) Lock(now time.Time, others ...Target) (unlock func() error, err error) {
	path := filepath.Join(o.Dir, lockName)
	f, err := filelock.Open(path)
	if err != nil {
		return nil, fmt.Errorf("lock the results folder: %w", err)
	}
	if err := filelock.Lock(f); err != nil {
		_ = f.Close() // nothing was written
		if locked, ok := errors.AsType[*filelock.LockedError](err); ok {
			return nil, fmt.Errorf("another arena writes into %s: %s\nwait for it, or choose another folder with -o",
				o.Dir, locked.Owner)
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := filelock.Sign(f, now); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	release, err := LockTargets(now, append(o.outsideTargets(), others...)...)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error { return errors.Join(release(), f.Close()) }, nil
}
