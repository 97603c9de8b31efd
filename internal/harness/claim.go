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

// Claim takes files and folders outside of the results folder: no other arena writes there until release is called, or
// the process has ended. While they are taken, a file beside each of them says by whom.
func Claim(now time.Time, targets ...Target) (release func() error, err error) {
	var held []func() error
	release = func() (err error) {
		for _, let := range held {
			err = errors.Join(err, let())
		}
		return err
	}
	for i := range targets {
		t := &targets[i]
		if Device(t.Path) {
			continue
		}
		let, err := t.claim(now)
		if err != nil {
			return nil, errors.Join(err, release())
		}
		held = append(held, let)
	}
	return release, nil
}

// claims are the reports that are written elsewhere than into the folder.
func (o *Outputs) claims() (all []Target) {
	for _, t := range o.targets() {
		if filepath.Dir(realPath(t.Path)) != realPath(o.Dir) {
			all = append(all, t)
		}
	}
	return all
}

func (t *Target) claim(now time.Time) (release func() error, err error) {
	at := realPath(t.Path)
	path := filepath.Join(filepath.Dir(at), "."+filepath.Base(at)+".arena-lock")
	unclaimed := func() error { return nil }
	if plainfile.MakeDir(filepath.Dir(path)) != nil { // what is wrong is found when the file is written
		return unclaimed, nil
	}
	var locked *filelock.LockedError
	f, err := lockNew(path)
	switch {
	case errors.Is(err, os.ErrPermission): // in a folder that takes no new file one that is there may be written
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

// lockNew locks a file that goes when it is let go: what was locked has to be what stands at the path still.
func lockNew(path string) (*os.File, error) {
	for {
		f, err := filelock.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // it went between two looks
		}
		if err != nil {
			return nil, err
		}
		if err := filelock.Lock(f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		held, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if there, err := os.Lstat(path); err == nil && os.SameFile(held, there) {
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}
