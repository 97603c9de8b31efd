// Package filelock locks files against other processes, with the locks of the operating system: one goes when its
// process does, however that ends.
package filelock

import (
	"errors"
	"os"
)

// ErrLocked says that someone else holds the lock.
var ErrLocked = errors.New("it is locked")

// Lock takes the lock of a file that is open for writing, until it is closed. It does not wait: it fails with ErrLocked
// when the file is locked by another process, or by another opening of it in this one. Who takes no lock can still
// read and write the file, but for what lies a gigabyte from its start.
func Lock(f *os.File) error { return lock(f) }
