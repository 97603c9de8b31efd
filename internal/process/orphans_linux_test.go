package process

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// escapes holds the pipe "alive" open in all the ways by which a program and what it starts evade a signal to their
// group, and says a word for each.
const escapes = `exec 3>alive >/dev/null 2>&1 </dev/null
trap '' TERM HUP INT
sh -c 'echo group >&3; exec sleep 3600' &
setsid sh -c 'echo session >&3; exec sleep 3600' &
(setsid sh -c 'echo orphan >&3; sleep 3600' &)
setsid sh -c 'setsid sh -c "echo deep >&3; exec sleep 3600" & echo upper >&3; exec sleep 3600' &
`

// nameless has lost the mark in its environment as well.
const nameless = `(exec env -i PATH="$PATH" setsid sh -c 'echo nameless >&3; exec sleep 3600' &)
`

// alive makes the pipe and a function that waits for n words in it.
func alive(t *testing.T, dir string) (words func(n int) *bufio.Reader) {
	t.Helper()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(dir, "alive")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	return func(n int) *bufio.Reader {
		f, err := os.Open(path) // waits for somebody to write
		if err != nil {
			t.Error(err)
			return nil
		}
		t.Cleanup(func() { _ = f.Close() }) // was only read
		r := bufio.NewReader(f)
		for range n {
			if word, err := r.ReadString('\n'); err != nil {
				t.Errorf("%q, %v", word, err)
			}
		}
		return r
	}
}

// gone waits until nobody holds the pipe open.
func gone(t *testing.T, r *bufio.Reader) {
	t.Helper()
	if rest, err := r.ReadString(0); rest != "" {
		t.Errorf("%q, %v", rest, err)
	}
}

// TestNothingEscapes: what left the group of a program ends with it, whether the program ends by itself or is stopped.
func TestNothingEscapes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, end string
		want      error
	}{{"ended", "read go <go", nil}, {"stopped", "sleep 3600", errLate}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := script(t, escapes+nameless+tc.end)
			words := alive(t, c.Dir)
			if err := syscall.Mkfifo(filepath.Join(c.Dir, "go"), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			left := make(chan *bufio.Reader, 1)
			go func() {
				left <- words(6)
				if tc.want != nil {
					cancel(tc.want)
				} else if err := os.WriteFile(filepath.Join(c.Dir, "go"), []byte("now\n"), 0o600); err != nil {
					t.Error(err)
				}
			}()
			if _, err := c.Run(ctx); !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
			gone(t, <-left)
		})
	}
}

// TestNothingOutlives: when this process ends, in whatever way, its programs and what they started end too.
func TestNothingOutlives(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]os.Signal{
		"killed": syscall.SIGKILL, "terminated": syscall.SIGTERM, "hung up": syscall.SIGHUP, "interrupted": syscall.SIGINT,
		"exited": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			words := alive(t, dir)
			arena := exec.CommandContext(t.Context(), program)
			arena.Dir, arena.Env = dir, append(os.Environ(), runsScript+"="+escapes+"sleep 3600")
			stdin, err := arena.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := arena.Start(); err != nil {
				t.Fatal(err)
			}
			left := words(5)
			if signal != nil {
				err = arena.Process.Signal(signal)
			} else {
				err = stdin.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			_ = arena.Wait() // however it ended
			gone(t, left)
		})
	}
}

// TestWatchdogIsNotAsked: the variable alone makes nobody a watchdog.
func TestWatchdogIsNotAsked(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestTail$")
	cmd.Env = append(os.Environ(), watchdogVariable+"=x")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v: %s", err, out)
	}
}
