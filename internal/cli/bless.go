package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/baseline"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

const blessLong = `Bless writes how a run did into arena.baseline.json, or the file of --baseline, for later runs to be
held against: arena run --baseline arena.baseline.json. Without a path it is the last run into the
folder that settings and config name for arena run, else out.

The file belongs under version control. It is small and sorted and has a line for each group of
trials, so that a review shows what changed: how many passed and failed, with the error bar, the
mean score, the median of cost and time, the checks that failed, and a sum of what is asked and
checked. Nobody writes it but arena: a line that was edited is refused.

A run that is not finished, or in which trials broke, cannot be blessed. One of which a filter left
out groups that the baseline has would take them out of it, and is refused.`

type blessFlags struct {
	file    string
	damaged string   // what is wrong with the existing file; "": nothing
	twice   []string // groups with two lines
	unnamed bool     // the name of its suite is lost
}

func newBlessCmd(app *App) *cobra.Command {
	f := &blessFlags{}
	cmd := &cobra.Command{
		Use:   "bless [journal.jsonl | results.json | folder]",
		Short: "Keep how a run did as the baseline of later ones",
		Long:  blessLong,
		Example: `  arena bless
  arena bless out-main --baseline ci/arena.baseline.json`,
		Args: takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := applySettings(app, c); err != nil {
				return err
			}
			if len(args) == 1 {
				return f.run(app, args[0])
			}
			path, err := app.resultsFolder(c)
			if err != nil {
				return err
			}
			return f.run(app, path)
		},
	}
	cmd.Flags().StringVar(&f.file, "baseline", baseline.Name, "the `file` to write")
	return cmd
}

func (f *blessFlags) run(app *App, path string) error {
	was, err := f.before()
	if err != nil {
		return err
	}
	run, input, done, err := openRun(app, path)
	if err != nil {
		return err
	}
	defer done()
	if err := blessable(run, input); err != nil {
		return err
	}
	groups, apart, err := f.blessed(run, was)
	if err != nil {
		return err
	}
	now := baseline.New(run.Name, groups)
	if err := f.replaces(run, was, now); err != nil {
		return err
	}
	data := now.Encode()
	if err := harness.WriteAtomic(f.file, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}); err != nil {
		return err
	}
	return f.reportBaseline(app, was, now, apart)
}

// blessable refuses an incomplete run.
func blessable(run *result.Run, input string) error {
	switch n := show.Unfinished(run); {
	case run.LeftOut > 0 || run.HeaderLost:
		return fmt.Errorf("%s is damaged: how the run did is not known in full", input)
	case n > 0:
		return fmt.Errorf("the run is not finished: %s without a verdict\narena run --resume continues it",
			plural.Count(n, "trial"))
	case brokenTrials(run) > 0:
		return fmt.Errorf("%s broke: what the agent does there is not known\narena run --last-failed runs what failed again",
			plural.Count(brokenTrials(run), "trial"))
	case run.Shard != nil:
		return fmt.Errorf("%s is the shard %s of a run: it does not tell how the others did\n"+
			"put them together with arena merge, and bless the whole", input, run.Shard)
	case run.Merged != nil && len(run.Merged.Missing) > 0:
		return fmt.Errorf("%s was merged from shards, and is not complete: %s", input, strings.Join(run.Merged.Missing, "; "))
	case run.Spec == nil:
		return fmt.Errorf("%s does not tell with which flags the run was made, so what it left out is not known\n"+
			"bless the journal of arena run, which tells that", input)
	case run.Spec.MockProvider:
		return errors.New("the run was made with --mock-provider: it tells nothing of the agent")
	}
	return nil
}

// brokenTrials counts broken trials in groups without a verdict. A gate may conclude although trials broke. Scenarios
// in quarantine do not count: they are not blessed.
func brokenTrials(run *result.Run) (n int) {
	broke := map[string]bool{}
	for _, t := range run.Tallies() {
		broke[t.Name] = t.Status == result.Errored && !t.Quarantined
	}
	for _, b := range run.Briefs.All() {
		if b.Status == result.Errored && !b.Gone && broke[b.GroupName()] {
			n++
		}
	}
	return n
}

// blessed returns the groups for the baseline. A scenario in quarantine keeps the line that the baseline has: nobody
// has accepted its present result.
func (f *blessFlags) blessed(run *result.Run, was *baseline.File) (groups []baseline.Group, apart int, err error) {
	measures, err := measured(run)
	if err != nil {
		return nil, 0, err
	}
	judged := 0
	for _, t := range run.Tallies() {
		switch {
		case t.Quarantined:
			apart++
			if slices.Contains(f.twice, t.Name) {
				return nil, 0, fmt.Errorf("%s has two lines of %s, which is in quarantine: which of them stays is not known; "+
					"nothing was written\ntake one of them out", f.file, t.Name)
			}
			if was != nil {
				if g := was.Find(t.Name); g != nil {
					groups = append(groups, *g)
				}
			}
			continue
		case t.Counts.N() == 0: // skipped
			continue
		case t.Gate.Unmended():
			return nil, 0, fmt.Errorf("%s was red in the baseline, and %d of %d trials cannot show that it is mended\n"+
				"bless a run of all of them: arena run --stop never", t.Name, t.Gate.Counted, t.Gate.Max)
		case t.Status != result.Passed && t.Status != result.Failed && t.Status != result.Undecided:
			return nil, 0, fmt.Errorf("%s came to no verdict: it is %s\narena run --last-failed runs it again", t.Name, t.Status)
		case t.Asked == "":
			return nil, 0, fmt.Errorf("the run does not tell what %s asks and checks: it is of an older arena\nrun it again",
				t.Name)
		}
		g, m := t.Baseline(), measures[t.Name]
		g.Score, g.CostUSD, g.LatencyMS = m.score(), m.cost(), median(m.ms)
		groups, judged = append(groups, g), judged+1
	}
	if judged == 0 {
		return nil, 0, errors.New("the run has no trial that passed or failed, but for those in quarantine")
	}
	return groups, apart, nil
}

// measures are the measurements of the trials of a group.
type measures struct {
	ms, usd []float64
	unknown bool // the cost of a trial is not known
	scores  []float64
}

func measured(run *result.Run) (map[string]*measures, error) {
	all := map[string]*measures{}
	for i, b := range run.Briefs.All() {
		if b.Gone {
			continue
		}
		m := all[b.GroupName()]
		if m == nil {
			m = &measures{}
			all[b.GroupName()] = m
		}
		t, err := run.Trials.Trial(i)
		if err != nil {
			return nil, fmt.Errorf("trial %s: %w", b.ID, err)
		}
		m.add(t)
	}
	return all, nil
}

func (m *measures) add(t *result.Trial) {
	m.ms = append(m.ms, t.DurationMS)
	if usd := t.FullCost(); usd == nil {
		m.unknown = true
	} else {
		m.usd = append(m.usd, *usd)
	}
	if score, n := t.Score(); n > 0 {
		m.scores = append(m.scores, score)
	}
}

// cost is the median cost of a trial; nil: not known.
func (m *measures) cost() *float64 {
	if m.unknown || len(m.usd) == 0 {
		return nil
	}
	return new(median(m.usd))
}

// score is the mean score; nil: no scores.
func (m *measures) score() *float64 {
	if len(m.scores) == 0 {
		return nil
	}
	sum := 0.0
	for _, x := range m.scores {
		sum += x
	}
	return new(sum / float64(len(m.scores)))
}

func median(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return (of[(len(of)-1)/2] + of[len(of)/2]) / 2
}

// before reads the existing baseline; nil: there is none. Of a damaged baseline that is to be replaced it returns the
// undamaged groups. It refuses files of another kind or version.
func (f *blessFlags) before() (*baseline.File, error) {
	if err := plainfile.Dangling(f.file); err != nil {
		return nil, fmt.Errorf("%w\nremove the link, or name another file with --baseline", err)
	}
	data, err := plainfile.Read(f.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil //nolint:nilnil // there is none
	case err != nil:
		return nil, err
	case len(bytes.TrimSpace(data)) == 0:
		return nil, nil //nolint:nilnil // the same
	}
	switch version, named := baseline.VersionOf(data); {
	case !named:
		return nil, fmt.Errorf("%s is there, and no baseline of arena; nothing was written\n"+
			"name another file with --baseline, or take that one away", f.file)
	case version != baseline.Version:
		return nil, fmt.Errorf("%s is a baseline of version %d, and this arena writes version %d; nothing was written\n"+
			"use the arena that wrote it, or take the file away", f.file, version, baseline.Version)
	}
	was, problem := baseline.Read(f.file, data)
	if problem == nil {
		return was, nil
	}
	whole := baseline.Salvage(data)
	f.damaged, f.twice = problem.Line(), whole.Twice
	if !whole.Named && len(whole.Groups) == 0 {
		return nil, nil // nothing could be read
	}
	f.unnamed = !whole.Named
	return &whole.File, nil
}

// replaces refuses a run that would remove groups from a baseline: those of another suite, or those that a filter left
// out.
func (f *blessFlags) replaces(run *result.Run, was, now *baseline.File) error {
	if was == nil {
		return nil
	}
	if was.Suite != now.Suite && !f.unnamed {
		return fmt.Errorf("%s is the baseline of the suite %q, and the run is of %q; nothing was written\n"+
			"name another file with --baseline, or take that one away where the suite has a new name", f.file, was.Suite,
			now.Suite)
	}
	known := func(g baseline.Group) bool { return was.Find(g.Name) != nil }
	if len(was.Groups) > 0 && !slices.ContainsFunc(now.Groups, known) {
		return fmt.Errorf("%s is the baseline of another suite: it has no group in common with the run; "+
			"nothing was written\nname another file with --baseline, or take that one away where all scenarios have new "+
			"names", f.file)
	}
	var gone, words []string
	for i := range was.Groups {
		name := was.Groups[i].Name
		if left := run.Spec.LeavesOut(name); len(left) > 0 && now.Find(name) == nil {
			gone, words = append(gone, name), left
		}
	}
	if len(gone) > 0 {
		return fmt.Errorf("the run was made with %s, which left out %s of the baseline: %s\nbless a run of all of it",
			strings.Join(words, " "), plural.Count(len(gone), "group"), someIDs(gone))
	}
	return f.replacesPart(run, was, now)
}

// replacesPart refuses a run of only some rows of a group in the baseline.
func (f *blessFlags) replacesPart(run *result.Run, was, now *baseline.File) error {
	words := run.Spec.Narrowing(func(flag string) bool { return flag == "rows" || flag == "sample" })
	if len(words) == 0 {
		return nil
	}
	for _, b := range run.Briefs.All() {
		if before, after := was.Find(b.GroupName()), now.Find(b.GroupName()); b.Pooled && before != nil && after != nil &&
			!result.AskedEqual(before.Asked, after.Asked) {
			return fmt.Errorf("the run was made with %s, which ran only a part of %s\n"+
				"bless a run of all of it, or take %s away where that is meant", strings.Join(words, " "), after.Name, f.file)
		}
	}
	return nil
}

// reportBaseline prints what the baseline holds now, and what changed.
func (f *blessFlags) reportBaseline(app *App, was, now *baseline.File, apart int) error {
	red, undecided := 0, 0
	for i := range now.Groups {
		switch g := &now.Groups[i]; {
		case g.Red():
			red++
		case g.Undecided():
			undecided++
		}
	}
	text := fmt.Sprintf("%s: %s", f.file, plural.Count(len(now.Groups), "group"))
	if red > 0 {
		text += fmt.Sprintf(", %d of which fail (arena run --known-failures lets them)", red)
	}
	if undecided > 0 {
		text += fmt.Sprintf(", %d of which undecided", undecided)
	}
	if was != nil {
		text += changesOf(was, now) + fewerTrials(was, now) + fewerPassed(was, now)
	}
	if apart > 0 {
		text += "\n" + plural.Of(apart, "group is", "groups are") + " in quarantine: what the baseline has of them stays"
	}
	if f.damaged != "" {
		whole := 0
		if was != nil {
			whole = len(was.Groups)
		}
		text += fmt.Sprintf("\nwhat was there was damaged, and is rewritten: %s\nof that, %s", f.damaged,
			plural.Of(whole, "group was whole", "groups were whole"))
	}
	_, err := fmt.Fprintln(app.Out, text)
	return ifBroken(err)
}

func changesOf(was, now *baseline.File) string {
	added, changed, gone := 0, 0, 0
	for i := range now.Groups {
		switch g := was.Find(now.Groups[i].Name); {
		case g == nil:
			added++
		case g.Sum != now.Groups[i].Sum:
			changed++
		}
	}
	for i := range was.Groups {
		if now.Find(was.Groups[i].Name) == nil {
			gone++
		}
	}
	return fmt.Sprintf("; %d new, %d changed, %d gone", added, changed, gone)
}

// size is the highest number of trials of a group; 0: the gate has no limit.
func size(g *baseline.Group) int {
	switch {
	case g.Rule == nil:
		return g.Counts().N()
	case g.Rule.PassRate > 0:
		return 0
	}
	return g.Rule.Max
}

// fewerTrials names groups with fewer trials than before: smaller changes go unnoticed in them.
func fewerTrials(was, now *baseline.File) string {
	var fewer []string
	for i := range now.Groups {
		g := &now.Groups[i]
		before := was.Find(g.Name)
		if before == nil || size(g) == 0 {
			continue
		}
		if n := cmp.Or(size(before), before.Counts().N()); size(g) < n {
			fewer = append(fewer, fmt.Sprintf("%s (%d, before %d)", g.Name, size(g), n))
		}
	}
	if len(fewer) == 0 {
		return ""
	}
	return fmt.Sprintf("\n%s fewer trials than before, so later runs show less: %s",
		plural.Of(len(fewer), "group has", "groups have"), someIDs(fewer))
}

// fewerPassed names groups with a lower pass rate than before: later runs need to pass less.
func fewerPassed(was, now *baseline.File) string {
	var fewer []string
	for i := range now.Groups {
		before := was.Find(now.Groups[i].Name)
		if before == nil {
			continue
		}
		b, n := before.Counts(), now.Groups[i].Counts()
		if n.Passed*b.N() < b.Passed*n.N() {
			fewer = append(fewer, fmt.Sprintf("%s (%d of %d, before %d of %d)", before.Name, n.Passed, n.N(), b.Passed, b.N()))
		}
	}
	if len(fewer) == 0 {
		return ""
	}
	return fmt.Sprintf("\nof %s a smaller part passed than before, so that later runs are asked for less: %s",
		plural.Count(len(fewer), "group"), someIDs(fewer))
}
