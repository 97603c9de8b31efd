package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/arena-evals/arena/internal/filelock"
	"github.com/arena-evals/arena/internal/plainfile"
)

// LockTargets locks files and folders outside of the results folder against other processes of arena, until release is
// called or the process ends. The lock files beside them name the owner.
func LockTargets(now time.Time, targets ...Target) (release func() error, err error) {
	var unlocks []func() error
	release = func() (err error) {
		for _, unlock := range unlocks {
			err = errors.Join(err, unlock())
		}
		return err
	}
	for i := range targets {
		t := &targets[i]
		if Device(t.Path) {
			continue
		}
		unlock, err := t.lock(now)
		if err != nil {
			return nil, errors.Join(err, release())
		}
		unlocks = append(unlocks, unlock)
	}
	return release, nil
}

// outsideTargets returns the reports that are written outside of the folder.
func (o *Outputs) outsideTargets() (all []Target) {
	for _, t := range o.targets() {
		if filepath.Dir(realPath(t.Path)) != realPath(o.Dir) {
			all = append(all, t)
		}
	}
	return all
}

func (t *Target) lock(now time.Time) (release func() error, err error) {
	at := realPath(t.Path)
	path := filepath.Join(filepath.Dir(at), "."+filepath.Base(at)+".arena-lock")
	unclaimed := func() error { return nil }
	if plainfile.MakeDir(filepath.Dir(path)) != nil { // the error is reported when the file is written
		return unclaimed, nil
	}
	var locked *filelock.LockedError
	f, err := lockNew(path)
	switch {
	case errors.Is(err, os.ErrPermission): // no lock file can be created, but an existing target may be writable
		return unclaimed, nil
	case errors.As(err, &locked):
		return nil, fmt.Errorf("another arena writes %s to %s: %s\nwait for it, or name another place",
			t.What, t.Path, locked.Owner)
	case err != nil:
		return nil, fmt.Errorf("cannot write %s to %s: lock it: %w", t.What, t.Path, err)
	}
	if err := filelock.Sign(f, now); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return func() error { return errors.Join(os.Remove(path), f.Close()) }, nil
}

// lockNew creates and locks a lock file that its owner removes when it unlocks it. It tries again when the file was
// removed before it was locked.
func lockNew(path string) (*os.File, error) {
	for {
		f, err := filelock.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // another process removed it meanwhile
		}
		if err != nil {
			return nil, err
		}
		if err := filelock.Lock(f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		unlocks, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if there, err := os.Lstat(path); err == nil && os.SameFile(unlocks, there) {
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}
