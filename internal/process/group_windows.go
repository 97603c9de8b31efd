package process

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is the job of a program: the program and everything that it starts. The job ends with its last handle.
type group struct {
	mu  sync.Mutex
	job windows.Handle // 0: none
}

func setGroup(*exec.Cmd) {}

// adopt puts the program into a job. Processes that it starts from then on are in the job too.
func (g *group) adopt(leader *os.Process) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("create a job: %w", err)
	}
	g.mu.Lock()
	g.job = job
	g.mu.Unlock()
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return fmt.Errorf("limit a job: %w", err)
	}
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE
	process, err := windows.OpenProcess(access, false, uint32(leader.Pid))
	if err != nil {
		return fmt.Errorf("open a process: %w", err)
	}
	defer windows.CloseHandle(process) //nolint:errcheck // nothing depends on it
	if err := windows.AssignProcessToJobObject(job, process); err != nil {
		return fmt.Errorf("assign a process to a job: %w", err)
	}
	return nil
}

// terminate ends the group at once: Windows has no signal that asks a program to end.
func (g *group) terminate(leader *os.Process) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 {
		return leader.Kill()
	}
	return windows.TerminateJobObject(g.job, 1)
}

// alive reports whether the group may have members.
func (g *group) alive(*os.Process) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.job != 0
}

// kill ends what is left of the group.
func (g *group) kill(*os.Process) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.CloseHandle(g.job) // closing the last handle kills the job
		g.job = 0
	}
}
