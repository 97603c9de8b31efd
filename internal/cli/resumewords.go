package cli

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// resumeWords is the command that resumes the run, with its filters and its folder.
func (f *runFlags) resumeWords() []string {
	words := f.rerunCommand()
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
	return append(words, f.brokerWords()...)
}

// brokerWords are the flags by which the run finds its broker, whose workers may have sent more since. A password
// stands in none of them. A URL in a variable that has one goes on to be read there.
func (f *runFlags) brokerWords() (words []string) {
	d := &f.dispatch
	for _, c := range []struct{ flag, url string }{{"workers", f.workers.url}, {"dispatch", d.url}} {
		shown, hides := nats.ShownURL(c.url)
		if shown != "" && f.given.has(c.flag) && (f.given.typed(c.flag) || !hides) {
			words = append(words, "--"+c.flag, shown)
		}
	}
	if f.workers.url == "" && d.url == "" {
		return nil
	}
	for _, c := range []struct{ flag, value string }{
		{"workers-timeout", f.workers.timeout.String()}, {"dispatch-wait", d.wait.String()},
		{"dispatch-timeout", d.patience.String()}, {"stream", d.stream}, {"nats-creds", d.creds}, {"nats-ca", d.ca},
		{"nats-cert", d.cert}, {"nats-key", d.key},
	} {
		if f.given.has(c.flag) {
			words = append(words, "--"+c.flag, c.value)
		}
	}
	return words
}

// goesOn is the command that resumes a run, with higher limits of trials and costs if these would allow no further
// trial.
func goesOn(run *result.Run, words []string) string {
	if at := slices.Index(words, "--max-trials") + 1; at > 0 && at < len(words) && run.Spec != nil &&
		run.Spec.MaxTrials > 0 && run.OverBudget != "" {
		words = slices.Clone(words)
		ran := run.Summary.Trials - run.Summary.Cancelled // all of these count, whoever ran them
		words[at] = strconv.Itoa(max(run.Spec.MaxTrials, ran) + run.Spec.MaxTrials)
	}
	at := slices.Index(words, "--max-cost") + 1
	if at == 0 || at == len(words) || run.Spec == nil || run.MayCostUSD <= run.Spec.MaxCost {
		return quoted(words)
	}
	const perDollar, rounding = 100, 1e-6 // round up to cents
	words = slices.Clone(words)
	words[at] = strconv.FormatFloat(math.Ceil(run.MayCostUSD*perDollar-rounding)/perDollar, 'f', 2, 64)
	return quoted(words)
}

// recallLast makes a bare `arena run --resume` repeat the last run, from its journal. It returns the paths to run. A
// results folder among the paths is the one to resume.
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
		return paths, nil // reported when the journal is needed
	}
	then, err := f.lastSpec(journal, ledger)
	if err != nil || then == nil || f.given.has("config") {
		return paths, err
	}
	for flag, path := range then.Files() {
		if path != "" && !f.given.has(flag) && !inWorkingDir(path) {
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

// lastLedger reads the journal to resume; nil if it is unreadable.
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

// lastSpec is the spec of the run of a journal; nil if it is not known, or if arena run did not write the journal. A
// run of another project is an error.
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

// asksMocked refuses to take over mock replies for providers that the user names now: probably their real replies are
// wanted.
func (f *runFlags) asksMocked(then *result.Spec) error {
	mocked := then.MockProvider || then.MockConfig != ""
	if !mocked || !f.given.typed("provider") || f.given.has("mock-provider") || f.given.has("mock-config") {
		return nil
	}
	return fmt.Errorf("%s takes over that mock replies answered in the run before, and --provider names who is to "+
		"answer\n"+
		"add --mock-provider to go on with mock replies, or --mock-provider=false to ask the provider", f.resumeFlag())
}

// unknownRun refuses to resume a run whose options are not known: with other files or flags it would be another run,
// and its trials would be paid for again.
func (f *runFlags) unknownRun(journal string) error {
	dir := shellQuote(filepath.Dir(journal))
	return fmt.Errorf("%s: %s: %s\n"+
		"name the files to run and the flags that it had, such as arena run %s -o %s -c config.arena.yaml; "+
		"arena report %s shows its trials", f.resumeFlag(), journal, result.HeaderLost, f.resumeFlag(), dir, dir)
}
