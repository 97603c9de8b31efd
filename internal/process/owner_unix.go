//go:build unix

package process

import (
	"errors"
	"syscall"
)

// exists reports whether there is a process with this id.
func exists(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
