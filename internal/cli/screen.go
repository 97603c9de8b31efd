package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/report/term"
)

// useColor settles --color with NO_COLOR, FORCE_COLOR and TERM.
func (a *App) useColor(when string, tty bool) bool {
	switch when {
	case "always":
		return true
	case "never":
		return false
	}
	return term.UseColor(a.Getenv, tty)
}

func newScreen(a *App, f *runFlags, out *outputs, planned int) *term.Screen {
	plain := f.ci || a.Env["TERM"] == "dumb"
	when := f.color
	if plain && when == "auto" {
		when = "never"
	}
	return term.New(term.Options{
		Out: a.Out, Err: a.Err, TTY: a.ErrTTY && a.OutTTY && !plain, Width: a.Width, Color: a.useColor(when, a.OutTTY),
		Verbosity: f.verbose, Quiet: f.quiet, Now: a.Now, Rerun: f.rerun, Reports: out.paths(), Total: planned,
	})
}

// printDiags shows the problems of a run's files on stderr; with -q the warnings stay out.
func (a *App) printDiags(list []diag.Diagnostic, files int, f *runFlags) {
	if f.quiet {
		var errs []diag.Diagnostic
		for _, d := range list {
			if d.Severity == diag.Error {
				errs = append(errs, d)
			}
		}
		list = errs
	}
	a.showDiags(a.Err, list, files, a.useColor(f.color, a.ErrTTY), "nothing was run")
}

// showDiags prints problems with their source lines, then one line that counts them.
func (a *App) showDiags(w io.Writer, list []diag.Diagnostic, files int, color bool, consequence string) {
	if len(list) == 0 {
		return
	}
	err := diag.Print(w, list, diag.PrintOptions{Color: color, Width: a.Width(), Read: os.ReadFile})
	summary := diag.Summary(list, files)
	if consequence != "" && slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }) {
		summary += "; " + consequence
	}
	_, endErr := fmt.Fprintf(w, "\n%s\n", summary)
	if err := errors.Join(err, endErr); err != nil {
		_, _ = fmt.Fprintln(a.Err, "arena:", err) // nothing is left to report a broken stderr to
	}
}
