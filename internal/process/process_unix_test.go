//go:build unix

package process

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/arena-evals/arena/internal/hang"
)

// script is a command of a shell that knows the real PATH.
func script(t *testing.T, text string) *Command {
	t.Helper()
	env, _ := Environment(os.LookupEnv, nil)
	return &Command{Path: "/bin/sh", Args: []string{"-c", text}, Dir: t.TempDir(), Env: env}
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text, stdin   string
		stdout, stderr, err string
	}{
		{name: "copies", text: "cat", stdin: "grüße\n", stdout: "grüße\n"},
		{name: "reads nothing", text: "echo done", stdin: strings.Repeat("x", 5<<20), stdout: "done\n"},
		{name: "fails", text: "echo half; echo why >&2; exit 3", stdout: "half\n", stderr: "why\n", err: "exit status 3"},
		{name: "ends before its child", text: "exec 3<&0; (cat <&3; echo rest) &", stdin: "mine\n", stdout: "mine\nrest\n"},
		{name: "crashes", text: "kill -SEGV $$", err: "signal: segmentation fault"},
		{name: "sees its environment only", text: `echo "$MODE,$OPENAI_API_KEY"`, stdout: "test,\n"},
		{name: "talks much about nothing", text: "yes no | head -c 4500000 >&2; echo end >&2; echo 1", stdout: "1\n",
			stderr: "no\nend\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := script(t, tc.text)
			c.Stdin, c.Env, c.Grace = []byte(tc.stdin), append(c.Env, "MODE=test"), hang.Guard
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

// TestHeard listens to stderr of programs of both kinds.
func TestHeard(t *testing.T) {
	t.Parallel()
	text := `printf 'one\r\n\n  two\nthr' >&2; echo out; printf 'ee\n' >&2; head -c 70000 /dev/zero | tr '\0' x >&2; ` +
		`printf 'lost\nlast' >&2`
	want := []string{"one", "  two", "three", strings.Repeat("x", maxLine) + "…", "last"}
	for _, running := range []bool{false, true} {
		var got []string
		c := script(t, text)
		c.Grace, c.OnStderr = hang.Guard, func(line string) { got = append(got, line) }
		if running {
			r := started(t, c)
			if _, err := io.Copy(io.Discard, r); err != nil {
				t.Fatal(err)
			}
			<-r.Done()
			if end := r.Stderr(); !strings.HasSuffix(end, "xlost\nlast") {
				t.Errorf("the end of stderr is %.99q", end)
			}
		} else if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("running %v: got %.99q", running, got)
		}
	}
}

func TestWorkingDirectory(t *testing.T) {
	t.Parallel()
	c := script(t, "")
	syscall.ForkLock.RLock() // a program that starts meanwhile would hold the file open, and it could not be run
	err := os.WriteFile(filepath.Join(c.Dir, "eval.sh"), []byte("#!/bin/sh\ncat data.txt\n"), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
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

// pipe makes a named pipe in the folder of a program. said is closed when a line was written to it; gone tells when
// nobody holds it open any more.
func pipe(t *testing.T, c *Command, name string) (said chan struct{}, gone chan error) {
	t.Helper()
	path := filepath.Join(c.Dir, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	said, gone = make(chan struct{}), make(chan error, 1)
	go func() {
		f, err := os.Open(path) // waits for the program to open it
		if err == nil {
			_, err = f.Read(make([]byte, 1))
			close(said)
			_, more := io.Copy(io.Discard, f)
			err = errors.Join(err, more, f.Close())
		}
		gone <- err
	}()
	return said, gone
}

// TestTimeLimit: whatever a program does to stay, it ends. Each writes to a pipe when it has got so far that it is to
// be stopped, and would go on for days.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, stderr string }{
		{"sleeps", "echo >ready; sleep 1000000", ""},
		{"cleans up", "trap 'echo bye >&2; exit 0' TERM; echo >ready; while :; do sleep 0.05; done", "bye\n"},
		{"ignores the signal", "trap '' TERM; echo >ready; while :; do sleep 1000000; done", ""},
		{"waits for what it started", "(trap '' TERM; echo >ready; sleep 1000000) & wait", ""},
		{"says nothing more", "exec >&- 2>&-; echo >ready; sleep 1000000", ""},
		{"does not end its input", "echo >ready; exec sleep 1000000 <&0", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			c := script(t, tc.text)
			c.Stdin = make([]byte, 1<<20)
			if tc.stderr != "" {
				c.Grace = hang.Guard
			}
			said, _ := pipe(t, c, "ready")
			go func() {
				<-said
				stop(errLate)
			}()
			out, err := c.Run(ctx)
			if !errors.Is(err, errLate) {
				t.Error(err)
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
		{"stopped", "exec 3>alive; (trap '' TERM; echo >&3; exec sleep 1000000) & exec 3>&-; wait", errLate},
		{"ended", "exec 3>alive; sleep 1000000 >&3 2>&1 </dev/null & echo >&3; echo 1", nil},
		{"ended and holds the output", "exec 3>alive; sleep 1000000 & echo >&3; echo 1", ErrOutputHeldOpen},
		{"writes", "exec 3>alive; sleep 1000000 >&3 2>&1 & echo >&3; exec yes 3>&-", ErrTooMuchOutput},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := script(t, tc.text)
			ctx, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			said, gone := pipe(t, c, "alive")
			if errors.Is(tc.want, errLate) {
				go func() {
					<-said
					stop(errLate)
				}()
			}
			out, err := c.Run(ctx)
			if !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
			if errors.Is(err, ErrTooMuchOutput) && len(out.Stdout) != defaultMaxStdout {
				t.Errorf("%d bytes", len(out.Stdout))
			}
			if err := <-gone; err != nil { // for ever when the grandchild is still there
				t.Error(err)
			}
		})
	}
}

func TestTooMuch(t *testing.T) {
	t.Parallel()
	c := script(t, "echo 1234567890")
	c.MaxStdout = 4
	out, err := c.Run(t.Context())
	if !errors.Is(err, ErrTooMuchOutput) || err.Error() != "it wrote more than 4 bytes" || string(out.Stdout) != "1234" {
		t.Errorf("%q, %v", out.Stdout, err)
	}
}
