//go:build unix

package cassette

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the lock of a file, or fails with errLocked at once.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
