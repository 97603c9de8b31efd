package cassette

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/arena-evals/arena/internal/filelock"
	"github.com/arena-evals/arena/internal/plainfile"
)

// lockName is the file that says who records into a folder. It stays; what counts is the lock of the operating system
// on it, which goes when its process does.
const lockName = ".arena.lock"

// Lock takes the folder for recording, and makes it where it is not there. Nobody else can record into it until unlock
// is called, or the process has ended. What an earlier process left half written is removed.
func (d *Deck) Lock() (unlock func() error, err error) {
	if err := plainfile.MakeDir(d.Dir); err != nil {
		return nil, fmt.Errorf("cassettes cannot be recorded into %s: %w", d.Dir, reason(err))
	}
	path := filepath.Join(d.Dir, lockName)
	f, err := filelock.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cassettes cannot be recorded into %s: %w", d.Dir, reason(err))
	}
	if err := filelock.Lock(f); err != nil {
		_ = f.Close() // nothing was written
		if locked, ok := errors.AsType[*filelock.LockedError](err); ok {
			return nil, fmt.Errorf("another arena records into %s: %s\nwait for it, or record into another folder",
				d.Dir, locked.Owner)
		}
		return nil, fmt.Errorf("lock %s: %w", path, reason(err))
	}
	if err := errors.Join(filelock.Sign(f, d.Now()), d.sweep()); err != nil {
		return nil, errors.Join(fmt.Errorf("cassettes cannot be recorded into %s: %w", d.Dir, reason(err)), f.Close())
	}
	return f.Close, nil
}

// sweep removes what was being written when its process was killed.
func (d *Deck) sweep() error {
	var errs []error
	for _, dir := range []string{d.Dir, filepath.Join(d.Dir, mediaFolder)} {
		left, err := filepath.Glob(filepath.Join(dir, temporary))
		errs = append(errs, err)
		for _, file := range left {
			errs = append(errs, os.Remove(file))
		}
	}
	return errors.Join(errs...)
}
