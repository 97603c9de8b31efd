package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/report/term"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/shards"
)

const mergeLong = `Merge makes one run of shards: of the folders into which arena run --shard 1/5, 2/5 and so on wrote.
The folder that it writes holds the journal and the reports that the run would have left in one
piece: arena report, compare, rejudge and run --resume take it as any other.

The shards have to be of one plan, with the same files and flags and by the same version of arena.
What is missing or there twice is told, and nothing is written then: a shard that was not run, one
that was stopped, a trial that did not end. With --partial what is there is merged; every report says
what is missing, and the run is not green by it.

The verdict is that of the whole run, and so is the exit status, also where the shards were run with
--exit-zero: 0 all passed, 1 an assertion failed,
3 something broke or is missing, 2 the folders are not the shards of a run.

No shard is held against a baseline. With --baseline, or where a setting names one, the whole run is,
as by arena run. --fail-on adds to what the shards were run with.`

type mergeFlags struct {
	reportFlags

	given         givenFlags
	partial       bool
	failOn        []string
	baseline      string
	knownFailures bool
	basis         *result.Basis // content of the baseline; nil: none
}

func newMergeCmd(app *App) *cobra.Command {
	f := &mergeFlags{}
	cmd := &cobra.Command{
		Use:   "merge FOLDER...",
		Short: "Make one run of its shards",
		Long:  mergeLong,
		Example: `  arena merge shard-1 shard-2 shard-3 -o out
  arena merge shards/* -o out --partial`,
		Args: takes(1, -1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.given.settings(app, c); err != nil {
				return err
			}
			if !f.given.typed("out") { // the folder of settings is for whole runs
				return errors.New("say with -o into which folder the run is to go")
			}
			if err := f.validate(c.Flags().Changed("junit-granularity")); err != nil {
				return err
			}
			if f.knownFailures && f.baseline == "" {
				return errKnownOfNone
			}
			var err error
			if f.failOn, err = failOnReasons(f.failOn); err != nil {
				return err
			}
			return f.run(app, args)
		},
	}
	fl := cmd.Flags()
	f.reportFlags.register(fl)
	fl.Lookup("out").Usage = "`folder` for the run; it has to be named"
	registerBaseline(fl, &f.baseline, &f.knownFailures)
	fl.StringSliceVar(&f.failOn, "fail-on", nil, "what makes the run red besides what the shards were run with, a `list`")
	fl.BoolVar(&f.partial, "partial", false, "merge what is there; the run is not green where something is missing")
	return cmd
}

func (f *mergeFlags) run(app *App, paths []string) (err error) {
	if err := f.readBasis(app); err != nil {
		return err
	}
	set, err := f.openShards(paths)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	if err := f.refuseHoles(set); err != nil {
		return err
	}
	h := set.Header()
	if h.Command == nil {
		h.Command = []string{"arena", "run"}
	}
	for _, reason := range f.failOn {
		if !slices.Contains(h.FailOn, reason) {
			h.FailOn = append(slices.Clone(h.FailOn), reason)
			h.Spec.FailOn = append(slices.Clone(h.Spec.FailOn), reason)
		}
	}
	if err := f.takeBasis(&h); err != nil {
		return err
	}
	choice := f.choice()
	choice.Rerun, choice.Place = rerunner(h.Command), app.inCheckout()
	out := harness.NewOutputs(choice)
	out.Secrets = &app.secrets.Guard
	if set.Holds(filepath.Join(out.Dir, harness.JournalName)) {
		return fmt.Errorf("%s is the folder of one of the shards\nname another one with -o", out.Dir)
	}
	if err := refuseGoneOnWith(out.Dir); err != nil {
		return err
	}
	asked := &result.Run{Spec: h.Spec, Name: h.Name}
	if err := app.keepNamesOfRun(asked, append(slices.Clone(paths), out.Dir)...); err != nil {
		return err
	}
	if err := out.Prepare(); err != nil {
		return err
	}
	return locked(app, out, nil, func() error { return f.merge(app, set, h, out) })
}

// refuseGoneOnWith refuses a folder whose merged run was resumed there: no shard holds the trials that ran since.
func refuseGoneOnWith(dir string) (err error) {
	file, err := plainfile.Open(filepath.Join(dir, harness.JournalName))
	if err != nil {
		return nil // there is none, or the error is reported later
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	ledger, err := result.ReadRun(readOnly{file})
	if err != nil || !ledger.Merged || ledger.Header.Merged != nil {
		return nil //nolint:nilerr // the same
	}
	return fmt.Errorf("%s holds a merged run that was continued: what was run there is in none of the shards\n"+
		"merge into another folder with -o", dir)
}

// openShards opens the journals under the paths.
func (f *mergeFlags) openShards(paths []string) (*shards.Set, error) {
	var parts []*shards.Part
	var errs, nothing []error
	closeAll := func() {
		for _, p := range parts {
			_ = p.Close() // read only
		}
	}
	for i, path := range paths {
		if k := slices.IndexFunc(paths[:i], func(other string) bool { return sameFile(other, path) }); k >= 0 {
			errs = append(errs, fmt.Errorf("%s is named twice", path))
			continue
		}
		journal, err := shardJournal(path)
		if err == nil {
			var p *shards.Part
			if p, err = shards.Open(journal); err == nil {
				parts = append(parts, p)
			}
		}
		if f.partial && (errors.Is(err, errNoShard) || errors.Is(err, result.ErrNotJournal)) {
			nothing = append(nothing, err)
			continue
		}
		errs = append(errs, err)
	}
	if len(parts) == 0 {
		errs = append(errs, nothing...)
	}
	if err := errors.Join(errs...); err != nil {
		closeAll()
		return nil, err
	}
	set, err := shards.Join(parts)
	if err != nil {
		closeAll()
		return nil, err
	}
	for _, err := range nothing {
		set.Holes = append(set.Holes, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return set, nil
}

// errNoShard is the error for a folder or file without a run.
var errNoShard = errors.New("no run is there")

// shardJournal returns the journal of a shard: results.json does not hold everything.
func shardJournal(path string) (string, error) {
	input, err := reportInput(path)
	if info, statErr := os.Stat(path); statErr == nil && info.IsDir() && err != nil {
		return "", fmt.Errorf("%w: %w", err, errNoShard)
	}
	if err == nil && filepath.Base(input) == harness.ResultsName {
		return "", fmt.Errorf("%s: shards are merged from their journals: there is no %s", path,
			filepath.Join(filepath.Dir(input), harness.JournalName))
	}
	return input, err
}

// refuseHoles refuses an incomplete set of shards, unless --partial is given.
func (f *mergeFlags) refuseHoles(set *shards.Set) error {
	if f.partial || len(set.Holes) == 0 {
		return nil
	}
	return fmt.Errorf("the run is not complete:\n  %s\nto merge what is there, which is not green then: --partial",
		strings.Join(set.Holes, "\n  "))
}

// merge writes the journal and the reports.
func (f *mergeFlags) merge(app *App, set *shards.Set, h result.JournalHeader, out *harness.Outputs) (err error) {
	h.Resume = []string{"arena", "run", "--resume", out.Dir}
	h.Spec.Home, h.Spec.Out = workingDirFrom(out.Dir), out.Dir
	if h.ExitZero { // --exit-zero was meant for the shards; the merged run is judged here
		h.ExitZero = false
		app.remark("the shards were run with --exit-zero; arena merge does not take that over")
	}
	file, err := out.Draft()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	ledger, err := f.fold(set, h, file)
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	run := ledger.Run
	if err := out.Adopt(file); err != nil {
		return err
	}
	var folders []string
	for _, p := range set.Parts {
		folders = append(folders, filepath.Dir(p.Path))
	}
	writeErr := errors.Join(harness.CollectMedia(run, out.Dir, folders...), out.WriteAll(run))
	color := app.useColor(f.color, app.OutTTY)
	printer := term.New(term.Options{
		Out: painted(app.Out, color), Color: color, Quiet: f.quiet, Now: app.Now, Rerun: out.Rerun,
		Resume: func(run *result.Run) string { return goesOn(run, run.Resume) },
	})
	if f.quiet {
		app.printWarnings(run, 0)
	}
	err = errors.Join(writeErr, printer.Finish(run, out.Written()...), app.annotate(app.Out, run, out.Rerun))
	if err != nil {
		app.complain(err)
	}
	return exit(harness.Exit(run, false, err))
}

// fold writes the lines of the shards, reads the merged run, and writes its end.
func (f *mergeFlags) fold(set *shards.Set, h result.JournalHeader, file *os.File) (*result.JournalContent, error) {
	journal, err := set.Write(file, h)
	if err != nil {
		return nil, err
	}
	ledger, err := result.ReadRun(readOnly{file})
	if err != nil {
		return nil, err
	}
	n := len(set.Holes)
	set.NoteDamage(ledger.Damaged)
	set.NoteUnfinished(ledger.Run.Unfinished())
	if len(set.Holes) > n {
		if err := f.refuseHoles(set); err != nil {
			return nil, err
		}
		if err := file.Truncate(0); err != nil {
			return nil, err
		}
		h.Merged.Missing = set.Holes
		return f.fold(set, h, file)
	}
	run := ledger.Run
	unlike, err := fits(run)
	if err != nil && len(set.Holes) == 0 {
		return nil, err
	}
	files, own, claims := set.Warnings()
	var late []string
	atEnd := slices.Concat(run.EvalWarnings(), run.WeakenedWarnings(), run.VariantWarnings(), run.AgainstWarnings(),
		ledger.ToolWarnings())
	for _, d := range atEnd {
		late = append(late, d.Advice())
	}
	run.Warnings = slices.Concat(set.Holes, files, unlike, run.Warnings, own, late, claims)
	run.DurationMS = float64(set.Lasted()) / float64(time.Millisecond)
	run.Settle()
	return ledger, ledger.Conclude(journal, len(set.Holes) > 0)
}
