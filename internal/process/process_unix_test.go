//go:build unix

package process

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// script is a command of a shell that knows the real PATH.
func script(t *testing.T, text string) *Command {
	t.Helper()
	env, _ := Environment(os.LookupEnv, nil)
	return &Command{Path: "/bin/sh", Args: []string{"-c", text}, Dir: t.TempDir(), Env: env}
}

// soon is far longer than anything here takes and far shorter than what the programs would take if nobody stopped them.
const soon = 20 * time.Second

func TestRun(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text, stdin   string
		stdout, stderr, err string
	}{
		{name: "copies", text: "cat", stdin: "grüße\n", stdout: "grüße\n"},
		{name: "reads nothing", text: "echo done", stdin: strings.Repeat("x", 5<<20), stdout: "done\n"},
		{name: "fails", text: "echo half; echo why >&2; exit 3", stdout: "half\n", stderr: "why\n", err: "exit status 3"},
		{name: "crashes", text: "kill -SEGV $$", err: "signal: segmentation fault"},
		{name: "sees its environment only", text: `echo "$MODE,$OPENAI_API_KEY"`, stdout: "test,\n"},
		{name: "talks much about nothing", text: "yes no | head -c 4500000 >&2; echo end >&2; echo 1", stdout: "1\n",
			stderr: "no\nend\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := script(t, tc.text)
			c.Stdin, c.Env = []byte(tc.stdin), append(c.Env, "MODE=test")
			out, err := c.Run(t.Context())
			if string(out.Stdout) != tc.stdout || !strings.HasSuffix(string(out.Stderr), tc.stderr) {
				t.Errorf("stdout %.99q, stderr %.99q", out.Stdout, out.Stderr)
			}
			if len(out.Stderr) > stderrLimit {
				t.Errorf("%d bytes of stderr", len(out.Stderr))
			}
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || err.Error() != tc.err) {
				t.Errorf("%v, want %q", err, tc.err)
			}
		})
	}
}

func TestWorkingDirectory(t *testing.T) {
	t.Parallel()
	c := script(t, "")
	if err := os.WriteFile(filepath.Join(c.Dir, "eval.sh"), []byte("#!/bin/sh\ncat data.txt\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, "data.txt"), []byte("here"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Path, c.Args = "./eval.sh", nil
	if out, err := c.Run(t.Context()); err != nil || string(out.Stdout) != "here" {
		t.Errorf("%q, %v", out.Stdout, err)
	}
	if err := Find(c.Dir, "./eval.sh"); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]string{
		"./data.txt": "permission denied", "./none.sh": "no such file or directory",
		"no-program-has-this-name": "executable file not found in $PATH",
	} {
		if err := Find(c.Dir, path); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	c.Path = "./data.txt"
	if _, err := c.Run(t.Context()); err == nil || err.Error() != "cannot be started: permission denied" {
		t.Errorf("a file that is no program: %v", err)
	}
}

var errLate = errors.New("took too long")

// TestTimeLimit: whatever a program does to stay, it ends.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, stderr string }{
		{"sleeps", "sleep 60", ""},
		{"cleans up", "trap 'echo bye >&2; exit 0' TERM; while :; do sleep 0.05; done", "bye\n"},
		{"ignores the signal", "trap '' TERM; while :; do sleep 60; done", ""},
		{"waits for what it started", "(trap '' TERM; sleep 60) & wait", ""},
		{"says nothing more", "exec >&- 2>&-; sleep 60", ""},
		{"does not end its input", "exec sleep 60 <&0", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errLate)
			defer cancel()
			c := script(t, tc.text)
			c.Stdin = make([]byte, 1<<20)
			began := time.Now()
			out, err := c.Run(ctx)
			if !errors.Is(err, errLate) || time.Since(began) > soon {
				t.Errorf("%v after %s", err, time.Since(began))
			}
			if tc.stderr != "" && !strings.HasSuffix(string(out.Stderr), tc.stderr) {
				t.Errorf("stderr %q", out.Stderr)
			}
		})
	}
}

// TestNothingIsLeft: what a program starts ends with it, whether it is stopped, ends early or writes too much. The
// grandchild holds a pipe open, which is closed when it is gone.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		want       error
	}{
		{"stopped", "(trap '' TERM; exec sleep 60 >alive) & wait", errLate},
		{"ended", "sleep 60 >alive 2>&1 </dev/null & echo 1", nil},
		{"ended and holds the output", "(echo >alive; exec sleep 60 3>alive) & echo 1", ErrHeldOpen},
		{"writes", "sleep 60 >alive 2>&1 & exec yes", ErrTooMuch},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := script(t, tc.text)
			alive := filepath.Join(c.Dir, "alive")
			if err := syscall.Mkfifo(alive, 0o600); err != nil {
				t.Skip(err)
			}
			gone := make(chan error, 1)
			go func() {
				f, err := os.Open(alive) // waits for the grandchild to open it
				if err == nil {
					_, err = io.Copy(io.Discard, f)
					err = errors.Join(err, f.Close())
				}
				gone <- err
			}()
			ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Second, errLate)
			defer cancel()
			out, err := c.Run(ctx)
			if !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
			if errors.Is(err, ErrTooMuch) && len(out.Stdout) != defaultMaxStdout {
				t.Errorf("%d bytes", len(out.Stdout))
			}
			select {
			case err := <-gone:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(soon):
				t.Error("the grandchild is still there")
			}
		})
	}
}

func TestTooMuch(t *testing.T) {
	t.Parallel()
	c := script(t, "echo 1234567890")
	c.MaxStdout = 4
	out, err := c.Run(t.Context())
	if !errors.Is(err, ErrTooMuch) || err.Error() != "it wrote more than 4 bytes" || string(out.Stdout) != "1234" {
		t.Errorf("%q, %v", out.Stdout, err)
	}
}
