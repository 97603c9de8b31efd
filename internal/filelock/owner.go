package filelock

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// LockedError is the error of Lock for a file that someone else has locked. It is ErrLocked for errors.Is.
type LockedError struct {
	Owner string // what Sign wrote, in one line
}

func (e *LockedError) Error() string { return ErrLocked.Error() + ": " + e.Owner }

// Unwrap makes it ErrLocked.
func (e *LockedError) Unwrap() error { return ErrLocked }

// Sign writes the lock's owner, this process, into a locked file, and replaces its content.
func Sign(f *os.File, now time.Time) error {
	host, _ := os.Hostname() // for the message only
	text := fmt.Sprintf("process %d on %s since %s\n", os.Getpid(), host, now.UTC().Format(time.RFC3339))
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(text), 0)
	return err
}

// maxOwner is the maximum size of the owner's text in bytes.
const maxOwner = 400

// ownerOf reads the owner of a lock.
func ownerOf(f *os.File) string {
	text := make([]byte, maxOwner+1)
	n, _ := f.ReadAt(text, 0) // for the message only
	owner := strings.TrimSpace(string(text[:n]))
	strange := func(r rune) bool { return r < ' ' || r > '~' }
	if owner == "" || n > maxOwner || strings.ContainsFunc(owner, strange) {
		return "it does not say who it is"
	}
	return owner
}
