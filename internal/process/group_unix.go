//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// group is a program with everything that it starts: a process group.
type group struct{}

// setGroup gives the program a group of its own.
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

// kill ends what is left of the group. The leader has been waited for; its id is not given away again while there is
// anybody in the group, and an error means that there is nobody.
func (*group) kill(leader *os.Process) { _ = syscall.Kill(-leader.Pid, syscall.SIGKILL) }
