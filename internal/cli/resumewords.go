package cli

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// resumeWords are the command that resumes the run: as it was asked for, with its filters and its folder.
func (f *runFlags) resumeWords() []string {
	words := f.repeat()
	words = slices.Insert(words, 2, "--resume")
	list := func(flag string, values []string) {
		if f.given.has(flag) {
			words = append(words, "--"+flag, strings.Join(values, ","))
		}
	}
	list("scenario", f.scenarios)
	list("provider", f.providers)
	list("region", f.regions)
	list("tag", f.tags)
	list("eval", f.evalIDs)
	list("rows", f.rows)
	list("sample", []string{strconv.Itoa(f.sample)})
	list("shard", []string{f.shard})
	list("shard-by", []string{f.shardBy})
	list("format", f.formats)
	for _, id := range f.only {
		words = append(words, "--only", id)
	}
	words = append(words, f.over...)
	for _, c := range []struct{ flag, value string }{
		{"jobs", strconv.Itoa(f.jobs)}, {"retries", strconv.Itoa(f.retries)}, {"out", f.out}, {"keep", strconv.Itoa(f.keep)},
		{"max-cost", strconv.FormatFloat(f.maxCost, 'g', -1, 64)}, {"max-trials", strconv.Itoa(f.maxTrials)},
		{"junit-file", f.junitFile}, {"html-file", f.htmlFile}, {"markdown-file", f.markdownFile},
	} {
		list(c.flag, []string{c.value})
	}
	for _, c := range []struct {
		flag string
		on   bool
	}{{"exit-zero", f.exitZero}, {"allow-empty", f.allowEmpty}} {
		if f.given.has(c.flag) && c.on {
			words = append(words, "--"+c.flag)
		}
	}
	if f.cassettes.Record != "" {
		words = append(words, f.cassettes.recording()...)
		if f.given.has("record-mode") && f.cassettes.Mode != "all" {
			words = append(words, "--record-mode", f.cassettes.Mode)
		}
	}
	return words
}

// goesOn is the command that goes on with a run, with a limit of trials that leaves some, and one of costs that a trial
// fits into: with a lower one it would run none, however often it is typed.
func goesOn(run *result.Run, words []string) string {
	if at := slices.Index(words, "--max-trials") + 1; at > 0 && at < len(words) && run.Spec != nil &&
		run.Spec.MaxTrials > 0 && run.OverBudget != "" {
		words = slices.Clone(words)
		ran := run.Summary.Trials - run.Summary.Cancelled // which count, whoever ran them
		words[at] = strconv.Itoa(max(run.Spec.MaxTrials, ran) + run.Spec.MaxTrials)
	}
	at := slices.Index(words, "--max-cost") + 1
	if at == 0 || at == len(words) || run.Spec == nil || run.MayCostUSD <= run.Spec.MaxCost {
		return quoted(words)
	}
	const perDollar, rounding = 100, 1e-6 // cents
	words = slices.Clone(words)
	words[at] = strconv.FormatFloat(math.Ceil(run.MayCostUSD*perDollar-rounding)/perDollar, 'f', 2, 64)
	return quoted(words)
}

// recallLast lets a bare `arena run --resume` run what the last run ran: its journal remembers. A results folder among
// the paths is the one to resume. It returns the paths to run.
func (f *runFlags) recallLast(app *App, paths []string) ([]string, error) {
	if !f.resumes() {
		return paths, nil
	}
	paths, err := f.namedRun(paths)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if err := f.reportsAlone(path); err != nil {
			return nil, err
		}
	}
	if len(paths) > 0 || f.given.typed("config") {
		return paths, nil
	}
	journal, ledger := f.lastLedger(app)
	if ledger == nil {
		return paths, nil // reported when it is needed
	}
	then, err := f.lastSpec(journal, ledger)
	if err != nil || then == nil || f.given.has("config") {
		return paths, err
	}
	for flag, path := range then.Files() {
		if path != "" && !f.given.has(flag) && !below(path) {
			return nil, fmt.Errorf("the run was made with %s, which is not below the working directory\n"+
				"name the files to run, and the flags", path)
		}
	}
	if err := f.asksMocked(then); err != nil {
		return nil, err
	}
	f.recall(then)
	return then.Paths, nil
}

// lastLedger reads the journal to resume. The ledger is nil when it cannot be read.
func (f *runFlags) lastLedger(app *App) (journal string, ledger *result.JournalContent) {
	dir := f.out
	if dir == "" {
		dir = scenario.OutputDir(scenario.Options{Config: f.config, Getenv: app.Getenv})
	}
	journal = harness.LastJournalIn(cmp.Or(dir, harness.DefaultOut))
	if f.journal != "" {
		journal = filepath.Join(dir, f.journal)
	}
	file, err := plainfile.Open(journal)
	if err != nil {
		return "", nil
	}
	defer func() { _ = file.Close() }() // read only
	if ledger, err = result.ReadRun(readOnly{file}); err != nil {
		return "", nil
	}
	return file.Name(), ledger
}

// lastSpec is what was asked of the run of a journal; nil when that is not known, or when arena run did not write it.
// It is an error when that run was one of another project.
func (f *runFlags) lastSpec(journal string, ledger *result.JournalContent) (*result.Spec, error) {
	then, err := resumeSpec(&ledger.Header)
	switch {
	case err != nil:
		return nil, fmt.Errorf("how the run was made cannot be read: %w\nname the files to run", err)
	case ledger.HeaderLost && !f.given.has("config"):
		return nil, f.unknownRun(journal)
	case then == nil || then.Command != "run":
		return nil, nil
	}
	command := "arena run " + f.resumeFlag() + " -o " + shellQuote(filepath.Dir(journal))
	if harness.PreviousJournal(f.journal) {
		command = "arena run " + f.resumeFlag() + " " + shellQuote(journal)
	}
	return then, f.refuseOtherProject(then, filepath.Dir(journal), "run", command)
}

// asksMocked refuses to take mock replies over from the run before for providers that are named now: whoever names one
// may want to hear it.
func (f *runFlags) asksMocked(then *result.Spec) error {
	mocked := then.MockProvider || then.MockConfig != ""
	if !mocked || !f.given.typed("provider") || f.given.has("mock-provider") || f.given.has("mock-config") {
		return nil
	}
	return fmt.Errorf("%s takes over that mock replies answered in the run before, and --provider names who is to "+
		"answer\n"+
		"add --mock-provider to go on with mock replies, or --mock-provider=false to ask the provider", f.resumeFlag())
}

// unknownRun refuses to go on with a run of which nobody knows how it was made: with other files or flags it would be
// another run, and its trials would be paid again.
func (f *runFlags) unknownRun(journal string) error {
	dir := shellQuote(filepath.Dir(journal))
	return fmt.Errorf("%s: %s: %s\n"+
		"name the files to run and the flags that it had, such as arena run %s -o %s -c config.arena.yaml; "+
		"arena report %s shows its trials", f.resumeFlag(), journal, result.HeaderLost, f.resumeFlag(), dir, dir)
}
