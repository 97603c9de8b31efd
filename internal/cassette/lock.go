package cassette

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/arena-evals/arena/internal/filelock"
	"github.com/arena-evals/arena/internal/plainfile"
)

// lockName is the file that names the process that records into a folder. The file stays; the operating system releases
// its lock when the process ends.
const lockName = ".arena.lock"

// Lock creates the folder and locks it for recording, until unlock is called or the process ends. It removes incomplete
// files of an earlier process.
func (d *Folder) Lock() (unlock func() error, err error) {
	if err := plainfile.MakeDir(d.Dir); err != nil {
		return nil, fmt.Errorf("cassettes cannot be recorded into %s: %w", d.Dir, plainfile.WithoutPath(err))
	}
	path := filepath.Join(d.Dir, lockName)
	f, err := filelock.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cassettes cannot be recorded into %s: %w", d.Dir, plainfile.WithoutPath(err))
	}
	if err := filelock.Lock(f); err != nil {
		_ = f.Close() // nothing was written
		if locked, ok := errors.AsType[*filelock.LockedError](err); ok {
			return nil, fmt.Errorf("another arena records into %s: %s\nwait for it, or record into another folder",
				d.Dir, locked.Owner)
		}
		return nil, fmt.Errorf("lock %s: %w", path, plainfile.WithoutPath(err))
	}
	if err := filelock.Sign(f, d.Now()); err != nil {
		err = fmt.Errorf("cassettes cannot be recorded into %s: %w", d.Dir, plainfile.WithoutPath(err))
		return nil, errors.Join(err, f.Close())
	}
	plainfile.Sweep(d.Dir)
	plainfile.Sweep(filepath.Join(d.Dir, mediaFolder))
	return f.Close, nil
}
