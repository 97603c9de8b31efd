//go:build unix && !linux

package process

import "syscall"

func killWithParent(*syscall.SysProcAttr) {}

func killMarked(string) {}
