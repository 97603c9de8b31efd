package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/report/jsonout"
	"github.com/arena-evals/arena/internal/report/term"
	"github.com/arena-evals/arena/internal/result"
)

const reportLong = `Report rebuilds the reports of a run from its journal (out/journal.jsonl) or from results.json,
without running anything: without a path, of the last run into the folder that settings and config
name for arena run, else out. The journal of a run that was killed holds every trial that it had
reported; what is missing is said.

Reports in another folder (-o) leave the journal where it is: arena run --resume goes on there.

Its exit status says whether the reports could be written, not whether the run had passed: 3 when
they could not, or lines of the journal had to be left out of them.`

type reportFlags struct {
	out, junitFile, htmlFile, markdownFile, granularity string
	formats                                             []string
	quiet                                               bool
	color                                               string
}

func newReportCmd(app *App) *cobra.Command {
	f := &reportFlags{}
	cmd := &cobra.Command{
		Use:   "report [journal.jsonl | results.json | folder]",
		Short: "Rebuild reports from a run's journal or results",
		Long:  reportLong,
		Example: `  arena report out --format html
  arena report out/journal.jsonl -o salvaged`,
		Args: takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.validate(c.Flags().Changed("junit-granularity")); err != nil {
				return err
			}
			path, err := "", error(nil)
			if len(args) == 1 {
				path = args[0]
			} else if path, err = app.resultsFolder(c); err != nil {
				return err
			}
			return f.run(app, path)
		},
	}
	f.register(cmd.Flags())
	return cmd
}

func (f *reportFlags) register(fl *pflag.FlagSet) {
	fl.StringVarP(&f.out, "out", "o", "", "`folder` for the reports (default: where the input lies)")
	fl.StringSliceVar(&f.formats, "format", nil, "reports to write, a `list` of json, junit, html, markdown (default all)")
	fl.StringVar(&f.junitFile, "junit-file", "", "write JUnit to this `file`")
	fl.StringVar(&f.htmlFile, "html-file", "", "write the HTML report to this `file`")
	fl.StringVar(&f.markdownFile, "markdown-file", "", "write Markdown to this `file`")
	fl.StringVar(&f.granularity, "junit-granularity", "scenario", "`unit` of a JUnit test case: scenario, turn or check")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, quietHelp)
	fl.StringVar(&f.color, "color", "auto", "`when` to colour the output: auto, always or never")
}

// validate checks the values. granular: the user gave the granularity of JUnit.
func (f *reportFlags) validate(granular bool) error {
	err := errors.Join(
		oneOf("format", f.formats, "json", "junit", "html", "markdown"),
		oneOf("color", []string{f.color}, "auto", "always", "never"),
		oneOf("junit-granularity", []string{f.granularity}, "scenario", "turn", "check"),
		notStdout("junit-file", f.junitFile), notStdout("html-file", f.htmlFile),
		notStdout("markdown-file", f.markdownFile),
	)
	if err != nil {
		return err
	}
	if granular && len(f.formats) > 0 && f.junitFile == "" && !slices.Contains(f.formats, "junit") {
		return withoutJUnit(f.formats)
	}
	return nil
}

// choice returns the outputs that the flags ask for.
func (f *reportFlags) choice() harness.Choice {
	return harness.Choice{
		Dir: f.out, Formats: f.formats, JUnit: f.junitFile, HTML: f.htmlFile, Markdown: f.markdownFile,
		Granularity: f.granularity,
	}
}

func (f *reportFlags) run(app *App, path string) error {
	run, input, done, err := openRun(app, path)
	if err != nil {
		return err
	}
	defer done()
	if err := app.keepNamesOfRun(run, input, f.out, f.junitFile, f.htmlFile, f.markdownFile); err != nil {
		return err
	}
	choice := f.choice()
	choice.Dir, choice.Rerun, choice.Place = cmp.Or(f.out, filepath.Dir(input)), rerunner(run.Command), app.inCheckout()
	out := harness.NewOutputs(choice)
	out.Secrets = &app.secrets.Guard
	out.KeepInput(input)
	out.Media = filepath.Dir(input)
	if err := f.refuseOtherRun(run, out.Dir, input); err != nil {
		return err
	}
	if err := out.Prepare(); err != nil {
		return err
	}
	var writeErr error
	if err := locked(app, out, nil, func() error {
		writeErr = errors.Join(out.WriteAll(run), noteJournalFolder(out, input))
		return nil
	}); err != nil {
		return err
	}
	color := app.useColor(f.color, app.OutTTY)
	o := term.Options{
		Out: painted(app.Out, color), Color: color, Quiet: f.quiet, Now: app.Now, Rerun: out.Rerun,
		Resume: func(run *result.Run) string { return goesOn(run, run.Resume) },
	}
	if len(run.Command) > 1 && run.Command[1] == "run" {
		o.Rejudge = rejudging(filepath.Dir(input))
	}
	printer := term.New(o)
	if f.quiet {
		app.printWarnings(run, 0)
	}
	return ifBroken(errors.Join(writeErr, printer.Finish(run, out.Written()...), leftOut(run, input)))
}

// leftOut says that the reports do not cover the whole run.
func leftOut(run *result.Run, input string) error {
	if run.LeftOut == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s left out of the reports, which are incomplete", input,
		plural.Of(run.LeftOut, "line was", "lines were"))
}

// openRun reads the run in a file or a folder, and returns the path of the file. Trials are read on demand, until done
// is called.
func openRun(app *App, path string) (run *result.Run, input string, done func(), err error) {
	if input, err = reportInput(path); err != nil {
		return nil, "", nil, err
	}
	file, err := plainfile.Open(input)
	if err != nil {
		return nil, "", nil, err
	}
	done = func() { _ = file.Close() } // read only
	if run, err = app.readRun(file); err != nil {
		done()
		return nil, "", nil, fmt.Errorf("%s: %w", input, err)
	}
	return run, input, done, nil
}

// reportInput finds the file to read in a folder: the journal, or else results.json.
func reportInput(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no %s", path)
		}
		return "", fmt.Errorf("%w\nname a journal, a results.json or the folder of a run", err)
	}
	if !info.IsDir() {
		return path, nil
	}
	for _, name := range []string{harness.JournalName, harness.ResultsName} {
		if p := filepath.Join(path, name); exists(p) {
			return p, nil
		}
	}
	return "", fmt.Errorf("%s holds neither %s nor %s\nname the folder of a run: arena run writes into out", path,
		harness.JournalName, harness.ResultsName)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readRun reads a journal or results.json.
func (a *App) readRun(file *os.File) (*result.Run, error) {
	ledger, err := result.ReadRun(readOnly{file})
	if err == nil {
		a.reportDamage(file.Name(), ledger)
		return ledger.Run, nil
	}
	if !errors.Is(err, result.ErrNotJournal) {
		return nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(file, 1<<16)
	if first, err := in.Peek(1); errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	} else if err == nil && first[0] != '{' {
		return nil, errors.New("neither a journal nor a results.json of arena\nname the folder of a run, such as " +
			"out; files of scenarios come behind it")
	}
	return jsonout.Read(in)
}
