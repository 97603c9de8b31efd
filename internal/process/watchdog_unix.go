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

// watchdogVariable is the environment variable that makes a process a watchdog. Its value is the prefix of the marks.
const watchdogVariable = "ARENA_KEEPER"

// watchdog is a process that waits for the end of this process and then kills the programs that still run. It learns of
// them through a pipe. The pipe closes when this process ends, for any reason.
type watchdog struct {
	pid  int
	pipe *os.File
}

// startWatchdog starts this program once more as a watchdog; nil when that fails.
func startWatchdog(name string) *watchdog {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close() //nolint:errcheck // the watchdog has its own
	cmd := &exec.Cmd{
		Path: program, Args: os.Args[:1], //nolint:forbidigo // it is the same program
		Env: []string{watchdogVariable + "=" + name}, ExtraFiles: []*os.File{r},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}, // no signal of the terminal reaches the watchdog
	}
	if err := cmd.Start(); err != nil {
		_ = w.Close()
		return nil
	}
	return &watchdog{cmd.Process.Pid, w}
}

// notify reports that a program has started (+) or ended (-). Errors are ignored: runs work without a watchdog.
func (k *watchdog) notify(what byte, pid int) {
	if k != nil {
		_, _ = fmt.Fprintf(k.pipe, "%c%d\n", what, pid)
	}
}

// writeLine writes a line to the watchdog. Errors are ignored, as by notify.
func (k *watchdog) writeLine(line string) {
	if k != nil {
		_, _ = io.WriteString(k.pipe, line+"\n")
	}
}

// runWatchdogIfAsked is the main loop of a watchdog.
func runWatchdogIfAsked() {
	name := os.Getenv(watchdogVariable) //nolint:forbidigo // set by startWatchdog alone
	if name == "" {
		return
	}
	pipe := os.NewFile(3, "pipe")
	if info, err := pipe.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return // the variable was not set by arena
	}
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	keep(pipe, name)
	os.Exit(0) //nolint:forbidigo // nothing else is to happen in a watchdog
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
		var act exitCommand
		if json.Unmarshal([]byte(text), &act) == nil {
			ending.Go(func() { act.run() })
		}
	}
	ending.Wait()
}

// run runs the command, and gives it some time.
func (a *exitCommand) run() {
	cmd := &exec.Cmd{Path: a.Path, Args: a.Args, Env: a.Env, SysProcAttr: &syscall.SysProcAttr{Setpgid: true}}
	if cmd.Start() != nil {
		return
	}
	limit := time.AfterFunc(exitCommandLimit, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer limit.Stop()
	_ = cmd.Wait() // nobody is left to be told
}

const exitCommandLimit = 30 * time.Second
