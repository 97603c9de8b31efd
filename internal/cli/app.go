// Package cli is the command line: commands, flags, settings, exit statuses and all of arena's contact with the
// operating system. It is the only package that knows every other one.
package cli

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/report/screen"
	"github.com/arena-evals/arena/internal/result"
)

// App is what a command may touch of the outside world.
type App struct {
	Args []string  // without the program's name
	In   io.Reader // nil: there is nothing to read
	// Out and Err take everything that is printed. Commands get them filtered by package screen.
	Out, Err io.Writer
	Env      map[string]string
	Now      func() time.Time
	// Today returns the real date where Now is fixed. nil: Now is not fixed.
	Today func() time.Time
	// InTTY says whether a person types; OutTTY and ErrTTY whether a person reads the stream. Width is the columns of
	// the terminal.
	InTTY, OutTTY, ErrTTY bool
	Width                 func() int
	// Interrupts delivers interrupt signals until the returned function is called.
	Interrupts func() (<-chan os.Signal, func())

	after func(time.Duration) <-chan time.Time // nil: time.After; only interrupts use it
	// KeepPipes makes a write to a closed stdout an error, instead of the end of the process. nil: it is an error
	// already.
	KeepPipes func()
	// Exit ends the process at once. It is called at the second interrupt.
	Exit func(code int)

	secrets *harness.Secrets   // what no output may show
	origins map[string]*origin // of flags set by settings, by flag name
}

// System is the App of the real process. It turns off the log of net/http: that log shows what servers send unasked,
// and a server may send credentials back.
func System() *App {
	log.SetOutput(io.Discard)
	process.Guard()
	watchHeap(os.Getenv)
	stdout := &pipe{to: os.Stdout}
	return &App{
		Args: os.Args[1:], In: os.Stdin, Out: stdout, Err: os.Stderr, Env: environ(os.Environ()),
		Now: clockFrom(os.Getenv), Today: time.Now,
		InTTY: term.IsTerminal(int(os.Stdin.Fd())), OutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		ErrTTY: term.IsTerminal(int(os.Stderr.Fd())),
		Width:  terminalWidth, Exit: os.Exit,
		KeepPipes: func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) },
		Interrupts: func() (<-chan os.Signal, func()) {
			c := make(chan os.Signal, 2)
			wishes := []os.Signal{os.Interrupt, syscall.SIGTERM}
			if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
				wishes = append(wishes, syscall.SIGHUP)
			}
			signal.Notify(c, wishes...)
			stdout.setNotify(c)
			return c, func() {
				signal.Stop(c)
				stdout.setNotify(nil)
			}
		},
	}
}

func environ(list []string) map[string]string {
	env := make(map[string]string, len(list))
	for _, kv := range list {
		if k, v, ok := strings.Cut(kv, "="); ok {
			env[k] = v
		}
	}
	return env
}

// clockFrom returns a clock that is fixed at SOURCE_DATE_EPOCH, if that is set
// (https://reproducible-builds.org/specs/source-date-epoch/), so that every byte of a run can be repeated.
func clockFrom(getenv func(string) string) func() time.Time {
	seconds, err := strconv.ParseInt(getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return time.Now
	}
	fixed := time.Unix(seconds, 0).UTC()
	return func() time.Time { return fixed }
}

// today is the real date.
func (a *App) today() time.Time {
	if a.Today != nil {
		return a.Today()
	}
	return a.Now()
}

func terminalWidth() int {
	for _, f := range []*os.File{os.Stderr, os.Stdout} {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return 80
}

// Getenv looks a variable up.
func (a *App) Getenv(name string) (string, bool) {
	v, ok := a.Env[name]
	return v, ok
}

// exitError carries an exit status up to Main. quiet: the command has printed everything already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return "exit status " + strconv.Itoa(e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// exit ends a command with a status and without a message.
func exit(code int) error {
	if code == 0 {
		return nil
	}
	return &exitError{code: code}
}

// broken is an error of arena or the world: a full disk, a file that cannot be written.
func broken(err error) error { return &exitError{code: result.ExitError, err: err} }

// Main runs the command line and returns the exit status. It is the only place that turns errors into statuses. An
// error without a status of its own is the user's mistake: 2.
func Main(app *App) int {
	app.secrets = harness.NewSecrets(app.Env)
	out, complaints := screen.New(app.secrets.Screen(app.Out)), screen.New(app.secrets.Screen(app.Err))
	app.Out, app.Err = out, complaints
	defer func() { _ = errors.Join(out.Flush(), complaints.Flush()) }() // half a character may be lost
	root := newRoot(app)
	root.SetArgs(app.Args)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		return 0
	}
	code := result.ExitUsage
	if e, ok := errors.AsType[*exitError](err); ok {
		code = e.code
		if e.err == nil {
			return code
		}
	}
	app.complain(err)
	return code
}
