package conformance

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// vectorExec is the program behind a check that is not built in.
type vectorExec struct {
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	ExitCode  int    `json:"exit_code"`
	SleepMS   int    `json:"sleep_ms"`
	TimeoutMS int    `json:"timeout_ms"`
}

const shell = "/bin/sh"

// vectorProgram is a script in a folder of its own, which is removed with it.
type vectorProgram struct {
	dir     string
	handler *scenario.Handler
}

// startable says why this machine cannot run the programs of vectors; "": it can.
func startable() string {
	if _, err := exec.LookPath(shell); err != nil {
		return "needs " + shell
	}
	return ""
}

// writeProgram writes a script that saves its stdin and then acts as the vector says.
func writeProgram(name string, x *vectorExec) (*vectorProgram, error) {
	dir, err := os.MkdirTemp("", "arena-verify-")
	if err != nil {
		return nil, err
	}
	p := &vectorProgram{dir: dir, handler: &scenario.Handler{
		Type: name, Command: shell, Args: []string{"program.sh"}, Dir: dir, Timeout: 30 * time.Minute,
	}}
	if x.TimeoutMS > 0 {
		p.handler.Timeout = time.Duration(x.TimeoutMS) * time.Millisecond
	}
	sleep := 0
	if x.SleepMS >= x.TimeoutMS && x.TimeoutMS > 0 { // late, and then also on a machine that is
		sleep = int(p.handler.Timeout/time.Second) + 1_000_000
	}
	script := fmt.Sprintf("cat >stdin\nsleep %d\ncat stdout\ncat stderr >&2\nexit %d\n", sleep, x.ExitCode)
	for name, text := range map[string]string{"program.sh": script, "stdout": x.Stdout, "stderr": x.Stderr} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// stdin is the input of the program; nil if it was not started.
func (p *vectorProgram) stdin() any {
	data, err := os.ReadFile(filepath.Join(p.dir, "stdin"))
	if err != nil {
		return nil
	}
	v, err := chat.DecodeJSON(data)
	if err != nil {
		return nil
	}
	return v
}

func (p *vectorProgram) close() error { return os.RemoveAll(p.dir) }
