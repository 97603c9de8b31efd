package harness

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/arena-evals/arena/internal/filelock"
)

// lockName is the file that says who writes into a folder of results. It stays; what counts is the lock of the
// operating system on it, which goes when its process does, however that ends.
const lockName = ".arena-results.lock"

// Lock takes the folder of the results, the reports that go elsewhere and the others that are written beside them:
// nobody else writes there until unlock is called, or the process has ended.
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
	release, err := Claim(now, append(o.claims(), others...)...)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error { return errors.Join(release(), f.Close()) }, nil
}
