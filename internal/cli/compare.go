package cli

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/comparison"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/report/html"
	"github.com/arena-evals/arena/internal/report/markdown"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/report/term"
	"github.com/arena-evals/arena/internal/result"
)

const compareLong = `Compare holds a run against the one before: what became worse or better and whether that is
evidence or chance, what is slower or dearer, with the verdicts that changed and the words in which
the replies differ. It reads the folders of the runs, their journals or their results.json, and runs
nothing.

Groups of trials are matched by scenario, provider and region; where each run has one provider,
and not the same, without it, so that two models can be compared. A group of which another thing is
asked than before, or checked, is told as changed and not compared: prompts, models and tools may
differ. What only one of the runs has is listed.

A group regressed, or improved, when its trials show it: each of the two claims about all groups is
wrong in at most 5 of 100 comparisons of runs between which nothing changed. Whatever else differs
is no evidence, with the fall that would likely have been seen. A trial that broke speaks against
the claim. Where mocks or recordings answer and judge in both runs, every difference is a fact.
A group is slower or dearer when its trials take or cost a fifth more on average. Replies from a cache
count as they did when they were paid for.

Its exit status is 0, whatever differs. With --fail-on it is 1 when that came up, and 3 when the
later run is not finished, has no known cost for dearer, or tells nothing for regressed: no group
can be compared, trials that broke hide it, or there are too few to show any fall.`

// failOnChange are the words that --fail-on takes.
var failOnChange = []string{"regressed", "red", "weaker", "changed", "unchecked", "gone", "slower", "dearer"}

type compareFlags struct {
	failOn  []string
	format  string
	color   string
	verbose bool
}

func newCompareCmd(app *App) *cobra.Command {
	f := &compareFlags{}
	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Hold a run against the one before",
		Long:  compareLong,
		Example: `  arena compare out-main out
  arena compare out-main out --fail-on regressed,gone
  arena compare out-gpt out-claude --format markdown
  arena compare out-main out --format html > compare.html`,
		Args: takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := applySettings(app, c); err != nil {
				return err
			}
			return f.run(app, args[0], args[1])
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.failOn, "fail-on", nil, "end with 1 when this came up, a `list` of regressed (by evidence), "+
		"red\n(passed before and does not now, be it by chance), weaker (a smaller part of its trials\npasses), "+
		"changed (asks or checks something else), unchecked (fewer trials, or without a\ncheck of before), "+
		"gone (passed before and is not run any more), slower and dearer")
	fl.Lookup("fail-on").Annotations = map[string][]string{notASetting: {"it is about two runs"}}
	fl.StringVar(&f.format, "format", "text", "`format` of the output: text, markdown, html or json")
	fl.Lookup("format").Annotations = map[string][]string{notASetting: {"it is about two runs"}}
	fl.StringVar(&f.color, "color", "auto", "`when` to colour the output: auto, always or never")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "name all groups that only one run has")
	fl.Lookup("verbose").Annotations = map[string][]string{notASetting: {"it is about two runs"}}
	return cmd
}

func (f *compareFlags) run(app *App, before, after string) error {
	err := errors.Join(
		oneOf("fail-on", f.failOn, failOnChange...),
		oneOf("format", []string{f.format}, "text", "markdown", "html", "json"),
		oneOf("color", []string{f.color}, "auto", "always", "never"),
	)
	if err == nil && f.failOn != nil && len(f.failOn) == 0 {
		err = fmt.Errorf("--fail-on names nothing; expected %s", strings.Join(failOnChange, ", "))
	}
	if err != nil {
		return err
	}
	was, wasFile, closeWas, err := openRun(app, before)
	if err != nil {
		return err
	}
	defer closeWas()
	now, nowFile, closeNow, err := openRun(app, after)
	if err != nil {
		return err
	}
	defer closeNow()
	if sameFile(wasFile, nowFile) {
		return fmt.Errorf("%s and %s are the same run", before, after)
	}
	if now.Started.Before(was.Started) {
		app.remark("%s began before %s: the first name is the run before, the second the one after", after, before)
	}
	if was.Started.Equal(now.Started) && sameBytes(wasFile, nowFile) {
		app.remark("%s is a copy of %s, and is compared with itself", after, before)
	}
	for name, run := range map[string]*result.Run{before: was, after: now} {
		if run.Briefs.Len() == 0 {
			return fmt.Errorf("%s has no trial that ended: that run was stopped before\n"+
				"arena run --resume continues it", name)
		}
	}
	app.remarkPart(before, was)
	app.remarkPart(after, now)
	r, err := comparison.Compare(was, now)
	if err != nil {
		return err
	}
	if len(r.Pairs) == 0 {
		return fmt.Errorf("the runs have nothing in common: no trials of the same scenario, provider and region\n"+
			"%s has %s, %s has %s", before, examples(r.Gone), after, examples(r.New))
	}
	if err := f.write(app, r, before, after); err != nil {
		return ifBroken(err)
	}
	return f.verdict(app, r, before, after)
}

// write writes the comparison to stdout.
func (f *compareFlags) write(app *App, r *comparison.Report, before, after string) error {
	switch f.format {
	case "json":
		return writeJSON(app, comparedGroups(r, before, after))
	case "markdown":
		out := bufio.NewWriter(app.Out)
		err := markdown.WriteComparison(out, r, before, after)
		return errors.Join(err, out.Flush())
	case "html":
		return html.WriteComparison(app.Out, r, before, after)
	}
	color := app.useColor(f.color, app.OutTTY)
	o := term.Options{Out: painted(app.Out, color), Color: color, Now: app.Now, Width: app.Width}
	if f.verbose {
		o.Verbosity = 1
	}
	return term.New(o).Compare(r, before, after)
}

// verdict returns the exit status for --fail-on.
func (f *compareFlags) verdict(app *App, r *comparison.Report, before, after string) error {
	gaps := comparisonGaps(r, before, after)
	for _, why := range gaps {
		app.remark("%s", why)
	}
	var found []string
	for _, word := range failOnChange {
		if slices.Contains(f.failOn, word) && cameUp(r, word) {
			found = append(found, word)
		}
	}
	switch {
	case len(found) > 0:
		app.complain(fmt.Errorf("the runs differ in what --fail-on names: %s", strings.Join(found, ", ")))
		return exit(result.ExitFailed)
	case len(f.failOn) > 0 && len(gaps) > 0:
		return exit(result.ExitError)
	case slices.Contains(f.failOn, "regressed") && r.Compared() == 0:
		app.remark("no group asks and checks the same in both runs, so nothing could be compared")
		return exit(result.ExitError)
	case slices.Contains(f.failOn, "regressed") && r.Judgement.Clouded:
		app.remark("trials broke, and had they failed, it would have regressed")
		return exit(result.ExitError)
	case slices.Contains(f.failOn, "regressed") && r.Judgement.Blind:
		app.remark("there are so few trials that no fall could have been seen: run more of them, with trials or --trials")
		return exit(result.ExitError)
	case slices.Contains(f.failOn, "dearer") && r.Count(unpriced) > 0:
		app.remark("what %s cost is not known", show.Plural(r.Count(unpriced), "group"))
		return exit(result.ExitError)
	}
	return nil
}

// comparisonGaps says why the two runs cannot answer all that --fail-on asks.
func comparisonGaps(r *comparison.Report, before, after string) (gaps []string) {
	runs := []struct {
		name string
		*result.Run
	}{{before, r.Before}, {after, r.After}}
	for i, run := range runs {
		if n := show.Unfinished(run.Run); n > 0 {
			gaps = append(gaps, fmt.Sprintf("%s is not finished: %s without a verdict", run.name, show.Plural(n, "trial")))
		}
		other := runs[1-i].Shard
		if run.Shard != nil && (other == nil || other.String() != run.Shard.String()) {
			gaps = append(gaps, fmt.Sprintf("%s is shard %s: the trials of the others are not in it", run.name, run.Shard))
		}
	}
	if !r.After.Briefs.Any(hasVerdict) {
		gaps = append(gaps, fmt.Sprintf("no trial of %s has a verdict", after))
	}
	return gaps
}

// hasVerdict reports whether a trial passed or failed, and neither broke nor was cut short.
func hasVerdict(b *result.Brief) bool { return b.Status == result.Passed || b.Status == result.Failed }

// unpriced reports whether the cost of a group was known before and is unknown now.
func unpriced(p *comparison.Pair) bool { return p.Was.CostUSD != nil && p.Now.CostUSD == nil }

// cameUp reports whether a word of --fail-on applies to the two runs.
func cameUp(r *comparison.Report, word string) bool {
	switch word {
	case "regressed":
		return r.Judgement.Suite == comparison.Regressed
	case "changed":
		return len(r.Judged(comparison.NotCompared)) > 0
	case "gone":
		return slices.ContainsFunc(r.Gone, func(g *comparison.Group) bool { return g.Status == result.Passed })
	case "unchecked":
		return r.Count(func(p *comparison.Pair) bool { return p.Unchecked || p.Fewer }) > 0
	case "weaker":
		return r.Count(func(p *comparison.Pair) bool { return p.Fell() && p.Verdict != comparison.Quarantined }) > 0
	case "slower":
		return r.Count(func(p *comparison.Pair) bool { return p.Slower }) > 0
	case "dearer":
		return r.Count(func(p *comparison.Pair) bool { return p.Dearer }) > 0
	}
	return r.Count(func(p *comparison.Pair) bool {
		return p.Change == comparison.Change(word) && p.Verdict != comparison.Quarantined
	}) > 0
}

// examples names a few groups.
func examples(groups []*comparison.Group) string {
	var names []string
	for _, g := range groups[:min(len(groups), 3)] {
		names = append(names, show.Line(g.Name))
	}
	if len(groups) > len(names) {
		names = append(names, "…")
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// sameBytes reports whether two files are equal.
func sameBytes(a, b string) bool {
	sumA, errA := contentSum(a)
	sumB, errB := contentSum(b)
	return errA == nil && errB == nil && bytes.Equal(sumA, sumB)
}

func contentSum(path string) ([]byte, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return sum.Sum(nil), err
}
