//go:build unix

package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
)

// keeperName is the variable that makes a process a keeper; it holds the beginning of the marks.
const keeperName = "ARENA_KEEPER"

// keeper is a process that lives as long as this one and then kills the programs that are not over. It hears of them
// through a pipe, whose end is the end of this process, whatever that was.
type keeper struct {
	pid  int
	pipe *os.File
}

// startKeeper starts this program once more as a keeper; nil where that cannot be.
func startKeeper(name string) *keeper {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close() //nolint:errcheck // the keeper has its own
	cmd := &exec.Cmd{
		Path: program, Args: os.Args[:1], //nolint:forbidigo // it is the same program
		Env: []string{keeperName + "=" + name}, ExtraFiles: []*os.File{r},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}, // no signal of a terminal reaches it
	}
	if err := cmd.Start(); err != nil {
		_ = w.Close()
		return nil
	}
	return &keeper{cmd.Process.Pid, w}
}

// tell tells of a program that has started (+) or is over (-). A keeper that is gone is missed by nobody.
func (k *keeper) tell(what byte, pid int) {
	if k != nil {
		_, _ = fmt.Fprintf(k.pipe, "%c%d\n", what, pid)
	}
}

// keepIfAsked is the whole life of a keeper.
func keepIfAsked() {
	name := os.Getenv(keeperName) //nolint:forbidigo // set by startKeeper alone
	if name == "" {
		return
	}
	pipe := os.NewFile(3, "pipe")
	if info, err := pipe.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return // somebody else set the variable
	}
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	keep(pipe, name)
	os.Exit(0) //nolint:forbidigo // nothing else is to happen in a keeper
}

func keep(pipe io.Reader, name string) {
	live := map[int]bool{}
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		line := lines.Text()
		if pid, err := strconv.Atoi(line[min(1, len(line)):]); err == nil && pid > 1 {
			if line[0] == '+' {
				live[pid] = true
			} else {
				delete(live, pid)
			}
		}
	}
	if len(live) == 0 {
		return
	}
	for pid := range live {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // an error means that there is nobody
	}
	killMarked(name)
}
