package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/report/screen"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/report/term"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// useColor decides about colours by --color, NO_COLOR, FORCE_COLOR and TERM.
func (a *App) useColor(when string, tty bool) bool {
	switch when {
	case "always":
		return true
	case "never":
		return false
	}
	return term.UseColor(func(name string) string { return a.Env[name] }, tty)
}

// newScreen is the terminal report of a run. folder is its results folder; the first told warnings were printed before.
func newScreen(a *App, f *runFlags, folder string, told int) *term.Printer {
	plain := f.ci || a.Env["TERM"] == "dumb"
	when := f.color
	if plain && when == "auto" {
		when = "never"
	}
	out, tty := f.textOutput(a)
	color := a.useColor(when, tty)
	o := term.Options{
		Out: painted(out, color), Err: screen.Live(a.Err), TTY: a.ErrTTY && a.OutTTY && tty && !plain, Color: color,
		Verbosity: f.verbose, Quiet: f.quiet, WarningsShown: told, Now: a.Now, Rerun: rerunner(f.rerunCommand()),
	}
	o.Resume = func(run *result.Run) string { return goesOn(run, f.resumeWords()) }
	if f.words[1] == "run" {
		o.Rejudge = rejudging(folder)
	}
	if tty {
		o.Width = a.Width
	}
	return term.New(o)
}

// painted lets arena's colours pass to w, if there are any.
func painted(w io.Writer, color bool) io.Writer {
	if color {
		return screen.Colored(w)
	}
	return w
}

// textOutput is the stream for people, and whether it is a terminal: stderr if stdout has events.
func (f *runFlags) textOutput(a *App) (io.Writer, bool) {
	if f.events == stdoutName {
		return a.Err, a.ErrTTY
	}
	return a.Out, a.OutTTY
}

// planned names the trials for the screen before they run.
func (x *execution) planned() term.Plan {
	p := term.Plan{
		Trials: x.run.Plan.Len(),
		Trial: func(i int) result.Brief {
			t := x.run.Plan.Trial(i)
			return briefOf(&t)
		},
		Longest: func(yield func(result.Brief) bool) {
			for t := range x.run.Plan.Sizes() {
				if !yield(briefOf(t)) {
					return
				}
			}
		},
	}
	if x.resumed == nil {
		return p
	}
	not, all := x.resumed.notRun(), p.Trial
	p.Trials = x.run.Plan.Len() - len(not)
	p.Trial = func(i int) result.Brief {
		before := sort.Search(len(not), func(k int) bool { return not[k]-k > i }) // trials before it that do not run
		return all(i + before)
	}
	return p
}

// briefOf names a trial that has not run.
func briefOf(t *runner.Trial) result.Brief {
	session := t.RowID()
	if t.Recorded != nil {
		session = t.Recorded.Name
	}
	b := result.BriefOf(result.BriefShared{
		Scenario: t.Scenario.ID, Provider: t.Endpoint.Spec.ID, File: t.Scenario.Pos.File,
		Region: t.Region, Trials: t.Of, Simulated: t.Mocked(),
	})
	b.Index, b.ID, b.Trial, b.Group, b.Row, b.Session = t.Index, t.ID(), t.N, 0, t.RowID(), session
	return b
}

// printDiags prints problems in files to stderr, with -q too.
func (a *App) printDiags(list []diag.Diagnostic, files int, f *runFlags) {
	a.showDiags(a.Err, list, files, a.useColor(f.color, a.ErrTTY), "nothing was run")
}

// printWarnings prints the warnings of a run to stderr, except the first told ones.
func (a *App) printWarnings(run *result.Run, told int) {
	for _, text := range show.Warnings(run, told) {
		a.printMessage("warning: " + text)
	}
}

func errorsOf(list []diag.Diagnostic) []diag.Diagnostic {
	return slices.DeleteFunc(slices.Clone(list), func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
}

// showErrors prints the problems for which a command cannot work.
func (a *App) showErrors(diags *diag.List, files int) {
	a.showDiags(a.Err, errorsOf(diags.Sorted()), files, a.useColor("auto", a.ErrTTY), "")
}

// showDiags prints problems with their source lines, and a line with their number.
func (a *App) showDiags(w io.Writer, list []diag.Diagnostic, files int, color bool, consequence string) {
	if len(list) == 0 {
		return
	}
	list = slices.Clone(list)
	for i := range list {
		list[i] = a.blame(list[i])
	}
	err := diag.Print(painted(w, color), list, diag.PrintOptions{Color: color, Width: a.Width(), Read: plainfile.Read})
	summary := diag.Summary(list, files)
	if consequence != "" && len(errorsOf(list)) > 0 {
		summary += "; " + consequence
	}
	_, endErr := fmt.Fprintf(w, "\n%s\n", summary)
	var annotateErr error
	if len(errorsOf(list)) > 0 { // warnings of a run are printed with its results
		annotateErr = a.annotateFiles(w, list)
	}
	if err := errors.Join(err, endErr, annotateErr); err != nil {
		_, _ = fmt.Fprintln(a.Err, "arena:", err) // a write error on stderr cannot be reported
	}
}
