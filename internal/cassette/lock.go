package cassette

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

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
		owner, _ := plainfile.Read(path) // for the message only
		_ = f.Close()                    // nothing was written
		if errors.Is(err, filelock.ErrLocked) {
			return nil, fmt.Errorf("another arena records into %s: %s\nwait for it, or record into another folder",
				d.Dir, owned(string(owner)))
		}
		return nil, fmt.Errorf("lock %s: %w", path, reason(err))
	}
	text := fmt.Sprintf("process %d since %s\n", os.Getpid(), d.Now().UTC().Format(time.RFC3339))
	if err := errors.Join(f.Truncate(0), write(f, text), d.sweep()); err != nil {
		return nil, errors.Join(fmt.Errorf("cassettes cannot be recorded into %s: %w", d.Dir, reason(err)), f.Close())
	}
	return f.Close, nil
}

func write(f *os.File, text string) error {
	_, err := f.WriteAt([]byte(text), 0)
	return err
}

// owned is who holds a lock, in one line.
func owned(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > 100 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "it does not say who it is"
	}
	return text
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
