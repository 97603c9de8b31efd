//go:build !linux

package process

import "os"

func whenEnded(*os.Process) {}
