// Package filelock locks files against other processes, with the locks of the operating system: one goes when its
// process does, however that ends.
package filelock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrLocked says that someone else holds the lock.
var ErrLocked = errors.New("it is locked")

// Lock takes the lock of a file that is open for writing, until it is closed. It does not wait: it fails with a
// LockedError when the file is locked by another process, or by another opening of it in this one. Who takes no lock can still
// read and write the file, but for what lies a gigabyte from its start.
func Lock(f *os.File) error {
	err := lock(f)
	if errors.Is(err, ErrLocked) {
		return &LockedError{ownerOf(f)}
	}
	return err
}

// ErrNotOurs says that what stands at the path of a lock is a link, a pipe or a folder, or has another name besides:
// whoever put it there may want another file to be written over.
var ErrNotOurs = errors.New("it is not a plain file of its own; remove it")

// Open opens the file at path for a lock, and makes it where there is none. It never follows a link at the end of the
// path and never waits for a pipe: what is no plain file with one name fails with ErrNotOurs, untouched.
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

// ours holds what was opened against what stands at the path.
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
