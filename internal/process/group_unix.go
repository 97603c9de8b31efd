//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// group is the process group of a program.
type group struct{}

// setGroup puts the program into a process group of its own.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	killWithParent(cmd.SysProcAttr)
}

func (*group) adopt(*os.Process) error { return nil }

// terminate asks the group to end.
func (*group) terminate(leader *os.Process) error {
	err := syscall.Kill(-leader.Pid, syscall.SIGTERM)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// alive reports whether the group has members. The leader has been waited for.
func (*group) alive(leader *os.Process) bool {
	return !errors.Is(syscall.Kill(-leader.Pid, 0), syscall.ESRCH)
}

// kill kills what is left of the group. The leader has been waited for. The system does not reuse the id of a group
// that has members. An error means that the group is empty.
func (*group) kill(leader *os.Process) { _ = syscall.Kill(-leader.Pid, syscall.SIGKILL) }
