package process

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Running is a program that runs until it is stopped. It is safe for concurrent use, except that only one goroutine may
// read.
type Running struct {
	stdin  *os.File
	stdout *os.File
	stderr *lockedBuffer
	leader *os.Process // set when the program was started
	end    context.CancelFunc
	done   chan struct{}
	err    error // why it ended; set when done is closed

	closing sync.Once
}

// Start starts the program and leaves it running. The caller writes its stdin and reads its stdout, with limits of its
// own: Stdin and MaxStdout of the command are not used. The caller must call Stop, also for a program that has ended by
// itself.
func (c *Command) Start() (*Running, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), in.Close())
	}
	ctx, end := context.WithCancel(context.Background())
	r := &Running{
		stdin: in, stdout: out, stderr: &lockedBuffer{tail: tailBuffer{limit: stderrLimit}}, end: end,
		done: make(chan struct{}),
	}
	cmd := c.prepare(ctx)
	lines := lineWriter{onLine: c.OnStderr}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, lines.beside(r.stderr)
	started := make(chan struct{})
	go func() {
		err := run(ctx, cmd, func() {
			r.leader = cmd.Process
			_ = ignore(theirIn.Close(), theirOut.Close()) // the program has its own copies
			close(started)
		})
		lines.flush()
		r.over(err)
	}()
	select {
	case <-started:
		return r, nil
	case <-r.done:
	}
	select {
	case <-started: // the program has ended already
		return r, nil
	default:
		end()
		return nil, errors.Join(r.err, ignore(theirIn.Close(), theirOut.Close(), in.Close(), out.Close()))
	}
}

// ignore drops errors of files that were never used.
func ignore(...error) error { return nil }

// over is called when the program has ended and its group is empty.
func (r *Running) over(err error) {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = &ExitError{exit.String()}
	}
	r.err = err
	_ = r.stdout.SetReadDeadline(time.Now().Add(strayGrace)) // a process that left the group may hold the output open
	close(r.done)
}

// Read reads what the program writes to its stdout.
func (r *Running) Read(p []byte) (int, error) {
	n, err := r.stdout.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	return n, err
}

// Write writes to the stdin of the program, until ctx is done. Only one goroutine may write at a time.
func (r *Running) Write(ctx context.Context, p []byte) error {
	late := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(late)
		_ = r.stdin.SetWriteDeadline(time.Unix(1, 0))
	})
	_, err := r.stdin.Write(p)
	if !stop() { // the next write has its own deadline
		<-late
		_ = r.stdin.SetWriteDeadline(time.Time{})
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Done is closed when the program and its group have ended.
func (r *Running) Done() <-chan struct{} { return r.done }

// Ended reports whether the program itself has ended. Other processes of its group may still run.
func (r *Running) Ended() bool {
	return errors.Is(r.leader.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// Stderr returns the end of the program's stderr, at most 8 KiB.
func (r *Running) Stderr() string { return r.stderr.text() }

// Err returns how the program ended, once Done is closed; nil for success.
func (r *Running) Err() error { return r.err }

// Stop closes the stdin of the program and waits for its end. Then it asks the program and all its processes to end,
// and kills what is left after the grace. It returns when the group is empty, and reports whether the program ended by
// itself.
func (r *Running) Stop(wait time.Duration) (itself bool) {
	r.closing.Do(func() { _ = r.stdin.Close() })
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-r.done:
		itself = true
	case <-timer.C:
		itself = r.Ended() // and left somebody behind
	}
	r.end()
	<-r.done
	_ = r.stdout.Close()
	return itself
}

// lockedBuffer is a tailBuffer for several goroutines.
type lockedBuffer struct {
	mu   sync.Mutex
	tail tailBuffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tail.Write(p)
}

func (l *lockedBuffer) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.tail.bytes())
}
