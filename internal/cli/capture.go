package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

const captureLong = `Capture runs a program once, as a scenario with run_command would, and keeps what happened in a
file: the command, its input, what it printed, the spans that it told, how it ended and how long
that took. The input is the last word of the command. What the program prints is shown.

  arena capture -- python3 agent.py "Where is my order A-1001?"
  arena generate --from captures --out scenarios     a scenario that must go as it went
  arena run scenarios

The program sees of the environment what every program needs, the variables that --env passes on,
and where its traces go. Their values are kept nowhere, and keys are taken out of what is kept.

A program that hangs is ended after --timeout or by Ctrl-C, and one that prints more than 10 MB is
ended there. What was captured until then is kept, and the file says so; no scenario is made of it.

Exit status: that of the program · 126 or 127 it cannot be started · 2 the command line is wrong
· 3 it was ended, or killed · 130 interrupted.`

type captureFlags struct {
	out, name string
	env       []string
	timeout   time.Duration
}

func newCaptureCmd(app *App) *cobra.Command {
	f := &captureFlags{}
	cmd := &cobra.Command{
		Use:   "capture [flags] -- program [argument...] input",
		Short: "Run a program once and keep what it did, for a scenario",
		Long:  captureLong,
		Example: `  arena capture -- python3 agent.py "Where is my order A-1001?"
  arena capture --env OPENAI_API_KEY --name late-refund -- node agent.mjs "Refund A-1003."`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.validate(args); err != nil {
				return err
			}
			return f.run(c.Context(), app, args)
		},
	}
	fl := cmd.Flags()
	fl.SetInterspersed(false) // what follows the program is its own
	fl.SortFlags = false
	fl.StringVarP(&f.out, "out", "o", "captures", "`folder` for the file")
	fl.StringVar(&f.name, "name", "", "what the file, and a scenario made of it, is called; the program where left out")
	fl.StringSliceVar(&f.env, "env", nil, "pass on this variable, a `NAME`; repeat the flag or use commas")
	fl.DurationVar(&f.timeout, "timeout", 5*time.Minute, "the longest that the program may take")
	return cmd
}

func (f *captureFlags) validate(args []string) error {
	var errs []error
	switch len(args) {
	case 0:
		errs = append(errs, errors.New("no program is named\n"+
			"write it after --: arena capture -- python3 agent.py \"Hello\""))
	case 1:
		errs = append(errs, fmt.Errorf("%q is given no input\nits last argument is the input: arena capture -- %s \"Hello\"",
			args[0], shellQuote(args[0])))
	}
	for _, name := range f.env {
		if strings.Contains(name, "=") || strings.TrimSpace(name) == "" {
			word, _, _ := strings.Cut(name, "=")
			errs = append(errs, fmt.Errorf("--env takes the name of a variable, found %q\n"+
				"set it before the command: %s=… arena capture --env %[2]s", word+"=…", word))
		}
	}
	if f.timeout <= 0 {
		errs = append(errs, fmt.Errorf("--timeout must be more than 0, found %s", f.timeout))
	}
	return errors.Join(errs...)
}

// errCaptureTimeout ends a captured program that takes too long.
var errCaptureTimeout = errors.New("it did not end in time")

func (f *captureFlags) run(ctx context.Context, app *App, args []string) error {
	var values []string
	for _, name := range f.env {
		values = append(values, app.Env[name])
	}
	env, missing := process.Environment(app.Getenv, f.env)
	if len(missing) > 0 {
		return fmt.Errorf("--env %s: the variable is not set", missing[0])
	}
	clean := providers.NewScrubber(values...)
	intake, err := openTraceIntake(ctx, args[0])
	if err != nil {
		return broken(err)
	}
	ctx, interrupted := app.interruptible(ctx, runner.Stop(), func() { app.remark("stopping the program") })
	limited, cancel := context.WithTimeoutCause(ctx, f.timeout, errCaptureTimeout)
	began := app.Now()
	started := time.Now()
	program := &process.Command{
		Path: args[0], Args: args[1:], Env: append(env, intake.env()...),
		OnStderr: func(line string) {
			_, _ = fmt.Fprintln(app.Err, diag.Safe(clean.Text(line))) // a write error on stderr is ignored
		},
	}
	out, ended := program.Run(limited)
	took := time.Since(started)
	cancel()
	c := &capture{
		Kind: captureKind, Name: f.name, Command: args[:len(args)-1], Input: args[len(args)-1], Env: f.env, Started: began,
		Seconds: took.Seconds(),
	}
	c.end(ended, f.timeout)
	c.collect(context.WithoutCancel(ctx), intake) // also of an interrupted program
	stopped := interrupted()
	if stopped {
		c.Ended, c.How = endedInterrupted, "it was interrupted"
	}
	if c.Ended == endedNotStarted {
		return &exitError{code: startFailureStatus(ended), err: fmt.Errorf("%s: %w", args[0], ended)}
	}
	c.print(out)
	c.scrub(func(text string) string { return app.secrets.Text(clean.Text(text)) })
	return f.keep(app, c, stopped)
}

// startFailureStatus is the exit status that shells use for a program that cannot be started.
func startFailureStatus(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return 127
	}
	return 126
}

// mostCaptureShown is how many bytes of what a captured program printed are shown.
const mostCaptureShown = 64 << 10

// keep writes the file, shows what the program printed, and says how it went.
func (f *captureFlags) keep(app *App, c *capture, stopped bool) error {
	path, err := c.write(f.out)
	if err != nil {
		return broken(err)
	}
	text := c.Stdout
	if len(text) > mostCaptureShown {
		text = strings.ToValidUTF8(text[:mostCaptureShown], "") + "… (the file has the rest)"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if _, err := fmt.Fprint(app.Out, text); err != nil {
		return broken(err)
	}
	for _, note := range c.Notes {
		app.remark("%s", note)
	}
	told := plural.Count(len(c.Spans), "span")
	if len(c.Spans) == 0 {
		told = "no spans, so nothing is known of its tools"
	}
	app.remark("captured in %s: %s, %s, %.1fs", path, c.How, told, c.Seconds)
	if c.unfit() == "" {
		app.remark("next: arena generate --from %s", shellQuote(path))
	}
	switch {
	case stopped:
		return exit(result.ExitInterrupted)
	case c.Ended != endedItself:
		return exit(result.ExitError)
	}
	return exit(*c.Status)
}
