// Package filelock locks files against other processes with the locks of the operating system, which end with the
// process.
package filelock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrLocked is the error of a file that another process has locked.
var ErrLocked = errors.New("it is locked")

// Lock locks a file that is open for writing, until the file is closed. It does not wait: it fails with a LockedError
// when another process, or another open file in this one, holds the lock. The lock is advisory: programs that take no
// lock can read and write the file, except, on Windows, one byte a gigabyte from its start.
func Lock(f *os.File) error {
	err := lock(f)
	if errors.Is(err, ErrLocked) {
		return &LockedError{ownerOf(f)}
	}
	return err
}

// ErrNotOurs is the error of a path that is a link, a pipe or a folder, or a file with a second name: it may be an
// attempt to have another file overwritten.
var ErrNotOurs = errors.New("it is not a plain file of its own; remove it")

// Open opens the file at path for a lock, and creates it when it is missing. It does not follow a link at the end of
// the path, and does not wait for a pipe. It fails with ErrNotOurs, and changes nothing, unless the path is a regular
// file with one name.
func Open(path string) (*os.File, error) {
	f, err := open(path)
	if err != nil {
		if there, statErr := os.Lstat(path); statErr == nil && !there.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: %w", path, ErrNotOurs)
		}
		return nil, err
	}
	if err := ours(f, path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ours checks that the open file is the regular file at path, and has no other name.
func ours(f *os.File, path string) error {
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	var there fs.FileInfo
	if there, err = os.Lstat(path); err != nil {
		return err
	}
	if !there.Mode().IsRegular() || !os.SameFile(opened, there) || names(f, opened) != 1 {
		return fmt.Errorf("%s: %w", path, ErrNotOurs)
	}
	return nil
}
