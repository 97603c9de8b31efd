package harness

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/filelock"
	"github.com/arena-evals/arena/internal/plainfile"
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
		owner, _ := plainfile.Read(path) // for the message only
		_ = f.Close()                    // nothing was written
		if errors.Is(err, filelock.ErrLocked) {
			return nil, fmt.Errorf("another arena writes into %s: %s\nwait for it, or choose another folder with -o",
				o.Dir, owned(string(owner)))
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := sign(f, now); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	release, err := Claim(now, append(o.claims(), others...)...)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error { return errors.Join(release(), f.Close()) }, nil
}

// owned is who holds a lock, in one line.
func owned(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > 200 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "it does not say who it is"
	}
	return text
}
