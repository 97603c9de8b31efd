//go:build unix

package nats

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock keeps other processes from writing a file for as long as it is open here.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
