//go:build unix

package process

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// keeperName is the environment variable that makes a process a keeper. Its value is the prefix of the marks.
const keeperName = "ARENA_KEEPER"

// keeper is a process that waits for the end of this process and then kills the programs that still run. It learns of
// them through a pipe. The pipe closes when this process ends, for any reason.
type keeper struct {
	pid  int
	pipe *os.File
}

// startKeeper starts this program once more as a keeper; nil when that fails.
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
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}, // no signal of the terminal reaches the keeper
	}
	if err := cmd.Start(); err != nil {
		_ = w.Close()
		return nil
	}
	return &keeper{cmd.Process.Pid, w}
}

// tell reports that a program has started (+) or ended (-). Errors are ignored: runs work without a keeper.
func (k *keeper) tell(what byte, pid int) {
	if k != nil {
		_, _ = fmt.Fprintf(k.pipe, "%c%d\n", what, pid)
	}
}

// say writes a line to the keeper. Errors are ignored, as by tell.
func (k *keeper) say(line string) {
	if k != nil {
		_, _ = io.WriteString(k.pipe, line+"\n")
	}
}

// keepIfAsked is the main loop of a keeper.
func keepIfAsked() {
	name := os.Getenv(keeperName) //nolint:forbidigo // set by startKeeper alone
	if name == "" {
		return
	}
	pipe := os.NewFile(3, "pipe")
	if info, err := pipe.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return // the variable was not set by arena
	}
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	keep(pipe, name)
	os.Exit(0) //nolint:forbidigo // nothing else is to happen in a keeper
}

func keep(pipe io.Reader, name string) {
	live, acts := map[int]bool{}, map[string]string{}
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, 10<<20)
	for lines.Scan() {
		line := lines.Text()
		switch id, act, _ := strings.Cut(line, " "); {
		case strings.HasPrefix(line, "!"):
			acts[id[1:]] = act
			continue
		case strings.HasPrefix(line, "."):
			delete(acts, id[1:])
			continue
		}
		if pid, err := strconv.Atoi(line[min(1, len(line)):]); err == nil && pid > 1 {
			if line[0] == '+' {
				live[pid] = true
			} else {
				delete(live, pid)
			}
		}
	}
	for pid := range live {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // an error means that the group is empty
	}
	if len(live) > 0 {
		killMarked(name)
	}
	var ending sync.WaitGroup
	for _, text := range acts {
		var act lastAct
		if json.Unmarshal([]byte(text), &act) == nil {
			ending.Go(func() { act.run() })
		}
	}
	ending.Wait()
}

// run runs the command, and gives it some time.
func (a *lastAct) run() {
	cmd := &exec.Cmd{Path: a.Path, Args: a.Args, Env: a.Env, SysProcAttr: &syscall.SysProcAttr{Setpgid: true}}
	if cmd.Start() != nil {
		return
	}
	limit := time.AfterFunc(lastActLimit, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer limit.Stop()
	_ = cmd.Wait() // nobody is left to be told
}

const lastActLimit = 30 * time.Second
