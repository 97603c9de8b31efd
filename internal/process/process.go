// Package process runs the user's programs with limits on time, on output and on their environment variables. The
// processes that a program starts end with it, as far as Guard says.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/plainfile"
)

// Command is a program to run. Its zero values are the defaults.
type Command struct {
	Path  string // of the program, relative to Dir; a name without a separator is looked up in PATH
	Args  []string
	Dir   string   // working directory
	Env   []string // NAME=value: the whole environment of the program; see Environment
	Stdin []byte

	MaxStdout int // bytes; 0: 10 MB
	// OnStderr receives the lines that the program writes to stderr, as they come, one at a time, and without their ends.
	// Longer lines than 64 KiB are cut. nil: lines are dropped.
	OnStderr func(line string)
	// Grace is how long the program may take to end after it was asked to; 0: half a second.
	Grace time.Duration
}

// Output is what a program wrote.
type Output struct {
	Stdout []byte
	Stderr []byte // the end of stderr, at most 8 KiB
}

const (
	defaultMaxStdout = 10 << 20
	defaultGrace     = 500 * time.Millisecond
	stderrLimit      = 8 << 10
)

var (
	// ErrOutputHeldOpen says that the program ended while a process that it started still holds its output open: the
	// output may be incomplete.
	ErrOutputHeldOpen = errors.New("it ended and left a process behind that holds its output open")
	// ErrTooMuchOutput is wrapped by errors of programs that write more than the limit.
	ErrTooMuchOutput = errors.New("it wrote more than")
)

// ExitError is the error of a program that ended without success.
type ExitError struct{ State string } // such as "exit status 3" or "signal: killed"

// Own reports whether the program ended by itself: not by a signal, and not as shells end that find no program to run.
func (e *ExitError) Own() bool {
	return strings.HasPrefix(e.State, "exit status ") && e.State != "exit status 126" && e.State != "exit status 127"
}

func (e *ExitError) Error() string { return e.State }

// Run runs the program to its end. When ctx is done, the program and all its processes are asked to end, and killed
// after the grace. The error is the cause of ctx then. The output holds what was written so far, also with an error.
func (c *Command) Run(ctx context.Context) (Output, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	most := c.MaxStdout
	if most == 0 {
		most = defaultMaxStdout
	}
	stdout := &limitedBuffer{limit: most, onFull: func() { stop(fmt.Errorf("%w %s", ErrTooMuchOutput, size(most))) }}
	stderr := &tailBuffer{limit: stderrLimit}
	cmd := c.prepare(ctx)
	lines := lineWriter{onLine: c.OnStderr}
	cmd.Stdout, cmd.Stderr = stdout, lines.beside(stderr)
	err := run(ctx, cmd, func() {})
	lines.flush()
	out := Output{Stdout: stdout.data.Bytes(), Stderr: stderr.bytes()}
	if cause := context.Cause(ctx); cause != nil {
		return out, heldOpen(cause, err)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out, &ExitError{exit.String()}
	}
	return out, err
}

func (c *Command) prepare(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir = c.Dir
	if len(c.Stdin) > 0 { // else it reads the end at once
		cmd.Stdin = bytes.NewReader(c.Stdin)
	}
	cmd.Env = append([]string{}, c.Env...) // nil would pass on the whole environment
	cmd.WaitDelay = c.Grace
	if cmd.WaitDelay == 0 {
		cmd.WaitDelay = defaultGrace
	}
	return cmd
}

// run runs a command in a group of its own and kills what is left of the group at the end. Where Guard was called, it
// also kills processes that left the group. It calls started once the command runs, and returns when what the program
// wrote is read.
func run(ctx context.Context, cmd *exec.Cmd, started func()) error {
	pipes, err := newPipes(cmd)
	if err != nil {
		return err
	}
	setGroup(cmd)
	var g group
	cmd.Cancel = func() error { return g.terminate(cmd.Process) }
	queue := starts.enter()
	defer starts.leave()
	var mark string
	tried := make(chan struct{})
	queue <- func() {
		mark, err = programs.start(cmd)
		close(tried)
	}
	if <-tried; err != nil {
		pipes.close()
		return fmt.Errorf("cannot be started: %w", reason(err))
	}
	pipes.start()
	defer programs.ended(cmd.Process.Pid, mark)
	defer g.kill(cmd.Process)
	if err := g.adopt(cmd.Process); err != nil {
		return errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	started()
	whenEnded(cmd.Process)
	return pipes.finish(ctx, cmd.Wait(), &g, cmd)
}

// reason returns an error of the system without the name of the program, which the caller adds.
func reason(err error) error {
	if e, ok := errors.AsType[*exec.Error](err); ok {
		err = e.Err
	}
	return plainfile.WithoutPath(err)
}

// Find returns an error when a program cannot be started from a directory, as far as that is known before the start.
func Find(dir, path string) error {
	_, err := Look(dir, path)
	return err
}

// Look finds the file of a program that is started in a directory, in PATH if necessary. The error says why there is
// none.
func Look(dir, path string) (file string, err error) {
	if filepath.Base(path) != path && !filepath.IsAbs(path) && dir != "" {
		path = dir + string(filepath.Separator) + path
	}
	file, err = exec.LookPath(path)
	return file, reason(err)
}

func size(bytes int) string {
	if bytes >= 1<<20 && bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
