//go:build unix

package process

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/hang"
)

func started(t *testing.T, c *Command) *Running {
	t.Helper()
	r, err := c.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Stop(0) })
	return r
}

// awaitEnd waits until there is no process of the number in a line.
func awaitEnd(t *testing.T, line string) {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	hang.ProcessEnd(t, pid)
}

func TestRunning(t *testing.T) {
	t.Parallel()
	c := script(t, `while read line; do echo "got $line"; echo "heard $line" >&2; done; echo bye`)
	c.Grace = hang.Guard
	r := started(t, c)
	lines := bufio.NewScanner(r)
	for _, word := range []string{"one", "two"} {
		if err := r.Write(t.Context(), []byte(word+"\n")); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() || lines.Text() != "got "+word {
			t.Errorf("%q, %v", lines.Text(), lines.Err())
		}
	}
	select {
	case <-r.Done():
		t.Error("it ended")
	default:
	}
	r.Stop(hang.Guard) // it ends by itself when its stdin does
	if r.Err() != nil || r.Stderr() != "heard one\nheard two\n" {
		t.Errorf("%v %q", r.Err(), r.Stderr())
	}
}

// TestRunningLeavesAProcess: one that ends and leaves behind who holds its stderr is told by what it did.
func TestRunningLeavesAProcess(t *testing.T) {
	t.Parallel()
	r := started(t, script(t, `sleep 10000 & exit`))
	<-r.Done()
	if !errors.Is(r.Err(), ErrOutputHeldOpen) {
		t.Error(r.Err())
	}
}

// TestStopEndsAll: whatever a program does against it, and whatever it has started, is gone after Stop.
func TestStopEndsAll(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text string }{
		{"a program that goes on when its stdin ends", `echo $$; exec sleep 10000`},
		{"one that ignores SIGTERM", `trap "" TERM; echo $$; while :; do sleep 10000; done`},
		{"a child that holds its output", `sleep 10000 & echo $!; exit 3`},
		{"a child that ignores SIGTERM", `(trap "" TERM; while :; do sleep 10000; done) & echo $!; cat`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := script(t, c.text)
			cmd.Grace = time.Millisecond // is meant to pass: they do not end by themselves
			r := started(t, cmd)
			line, err := bufio.NewReader(r).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			r.Stop(0)
			awaitEnd(t, line)
			if _, err := io.ReadAll(r); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCannotBeStarted(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"./none": "cannot be started: no such file or directory", "./data": "cannot be started: permission denied",
		"./broken": "cannot be started: exec format error",
	} {
		c := &Command{Path: path, Dir: t.TempDir()}
		for name, mode := range map[string]os.FileMode{"data": 0o600, "broken": 0o700} {
			if err := os.WriteFile(filepath.Join(c.Dir, name), []byte{0x7f, 0, 1}, mode); err != nil {
				t.Fatal(err)
			}
		}
		if r, err := c.Start(); err == nil || err.Error() != want || r != nil {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

// TestWriteToDeafProgram: a program that does not read keeps nobody waiting after the end of the context.
func TestWriteToDeafProgram(t *testing.T) {
	t.Parallel()
	cmd := script(t, "sleep 10000")
	cmd.Grace = time.Millisecond // is meant to pass
	r := started(t, cmd)
	cause := errors.New("that was long enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, cause) // is meant to pass
	defer cancel()
	if err := r.Write(ctx, []byte(strings.Repeat("x", 8<<20))); !errors.Is(err, cause) {
		t.Error(err)
	}
	r.Stop(0)
	if err := r.Write(t.Context(), []byte("x")); err == nil {
		t.Error("a program that is gone was written to")
	}
}

// TestEndsByItself: what a program said before its end can be read, and how it ended is known.
func TestEndsByItself(t *testing.T) {
	t.Parallel()
	c := script(t, "echo last words; echo why >&2; exit 3")
	c.Grace = hang.Guard
	r := started(t, c)
	text, err := io.ReadAll(r)
	<-r.Done()
	if string(text) != "last words\n" || err != nil || r.Err() == nil || r.Err().Error() != "exit status 3" ||
		r.Stderr() != "why\n" {
		t.Errorf("%q %v %v %q", text, err, r.Err(), r.Stderr())
	}
}
