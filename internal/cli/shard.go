package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// shardFlags choose a part of the plan.
type shardFlags struct {
	shard   string
	shardBy string // results folder or file of an earlier run
}

func (f *shardFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&f.shard, "shard", "", "run only this `part` of the plan, such as 2/5: the parts have every trial once\n"+
		"between them; arena merge makes one run of them")
	fl.StringVar(&f.shardBy, "shard-by", "", "cut the parts by how long trials took in this earlier `run`: its folder,\n"+
		"journal or results.json; all parts need the same one")
}

// maxShards is the highest number of shards.
const maxShards = 10_000

func (f *shardFlags) validate(g givenFlags) error {
	switch {
	case g.has("shard"):
		_, err := f.parse()
		return err
	case g.typed("shard-by"):
		return errors.New("--shard-by says how a plan is cut, and no part of it is asked for: add --shard 1/5")
	}
	return nil
}

// parse returns the number of the shard, and the number of shards.
func (f *shardFlags) parse() (result.Shard, error) {
	number, of, found := strings.Cut(f.shard, "/")
	n, errN := strconv.Atoi(number)
	m, errM := strconv.Atoi(of)
	switch {
	case !found || errN != nil || errM != nil:
		return result.Shard{}, fmt.Errorf("--shard %s: expected the number of the part and how many there are, such as 2/5",
			shellQuote(f.shard))
	case m < 1 || m > maxShards:
		return result.Shard{}, fmt.Errorf("--shard %s: a plan is cut into 1 to %d parts", shellQuote(f.shard), maxShards)
	case n < 1 || n > m:
		return result.Shard{}, fmt.Errorf("--shard %s: the parts are 1/%d to %d/%d", shellQuote(f.shard), m, m, m)
	}
	return result.Shard{Number: n, Of: m}, nil
}

func (f *shardFlags) toSpec(s *result.Spec) { s.Shard, s.ShardBy = f.shard, f.shardBy }

func (f *shardFlags) recall(g givenFlags, then *result.Spec) {
	recallValue(g, "shard", &f.shard, then.Shard)
	recallValue(g, "shard-by", &f.shardBy, then.ShardBy)
}

// cut returns the shard of the plan, or the whole plan. A resumed run keeps its shard, as long as the plan is the same.
func (f *runFlags) cut(app *App, plan *runner.Plan, suite *scenario.Suite) (*runner.Plan, error) {
	if f.shard == "" || plan == nil {
		return plan, nil
	}
	shard, err := f.parse()
	if err != nil {
		return nil, err
	}
	opts := f.trialOptions()
	shard.Plan = runner.NewFingerprints(&opts).Plan(plan)
	part := f.earlierCut(app, plan, shard, suite)
	if part == nil {
		takes, sum, err := f.durations(app, plan)
		if err != nil {
			return nil, err
		}
		shard.By = sum
		part = plan.Cut(shard, takes)
	}
	f.noteShard(app, part)
	return part, nil
}

// earlierCut is the shard of the resumed run; nil: it had another one, or another plan.
func (f *runFlags) earlierCut(app *App, plan *runner.Plan, shard result.Shard, suite *scenario.Suite) *runner.Plan {
	if !f.resumes() {
		return nil
	}
	dir := harness.NewOutputs(f.outputChoice(app, suite)).Dir
	journal := harness.LastJournalIn(dir)
	if f.journal != "" {
		journal = filepath.Join(dir, f.journal)
	}
	was, err := harness.Skim(journal)
	if err != nil || was.Header.Shard == nil {
		return nil // reported when it is read
	}
	then := was.Header.Shard
	if then.Number != shard.Number || then.Of != shard.Of || then.Plan != shard.Plan {
		return nil
	}
	return plan.Part(*then, was.Header.Places)
}

// noteShard says which part runs, and that its result is not that of the whole run.
func (f *runFlags) noteShard(app *App, part *runner.Plan) {
	if f.quiet {
		return
	}
	shard, _ := part.Shard()
	if part.Len() == 0 {
		app.remark("shard %s has no trial: the other shards have all %s of the plan", shard,
			plural.Of(shard.Planned, "trial", "trials"))
		return
	}
	app.remark("shard %s: %d of %s; arena merge tells whether the run passed", shard, part.Len(),
		plural.Of(shard.Planned, "trial", "trials"))
}

// groupOfRun identifies a group of an earlier run.
type groupOfRun struct{ file, scenario, provider, region, row string }

// durations are the durations of trials in the run of --shard-by, in microseconds, with a hash of all; nil: no such
// run. A trial that is not in that run counts like others of its scenario.
func (f *runFlags) durations(app *App, plan *runner.Plan) (takes func(*runner.Trial) int64, sum string, err error) {
	if f.shardBy == "" {
		return nil, "", nil
	}
	run, input, done, err := openRun(app, f.shardBy)
	if !exists(f.shardBy) || errors.Is(err, fs.ErrNotExist) {
		app.remark("--shard-by %s: there is no such run; the shards are cut by the turns of the scenarios", f.shardBy)
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("--shard-by: %w", err)
	}
	done()
	known := map[groupOfRun]*mean{}
	for _, b := range run.Briefs.All() {
		if b.Status == result.Cancelled || b.Status == result.Skipped {
			continue
		}
		took := int64(math.Round(b.DurationMS * 1000))
		for _, key := range []groupOfRun{
			{b.File, b.Scenario, b.Provider, b.Region, b.Row}, {file: b.File, scenario: b.Scenario, provider: b.Provider}, {},
		} {
			if known[key] == nil {
				known[key] = &mean{}
			}
			known[key].add(took)
		}
	}
	if known[groupOfRun{}] == nil {
		return nil, "", fmt.Errorf("--shard-by: no trial ended in %s", input)
	}
	return func(t *runner.Trial) int64 {
		file, id, provider := t.Scenario.Pos.File, t.Scenario.ID, t.Endpoint.Spec.ID
		for _, key := range []groupOfRun{
			{file, id, provider, t.Region, t.RowID()}, {file: file, scenario: id, provider: provider}, {},
		} {
			if m := known[key]; m != nil {
				return m.value()
			}
		}
		return 1
	}, sumOf(known), nil
}

// mean is the mean of durations.
type mean struct{ sum, n int64 }

func (m *mean) add(d int64) { m.sum, m.n = m.sum+d, m.n+1 }

// value is at least 1: a trial too short to measure still counts.
func (m *mean) value() int64 { return max(m.sum/m.n, 1) }

// sumOf is a hash of the durations by which a plan is cut.
func sumOf(known map[groupOfRun]*mean) string {
	values := map[string]int64{}
	for key, m := range known {
		values[strings.Join([]string{key.file, key.scenario, key.provider, key.region, key.row}, "\x00")] = m.value()
	}
	return fmt.Sprintf("%x", scenario.Digest(values))
}

// cutPlan cuts the plan, if there are no mistakes.
func (f *runFlags) cutPlan(app *App, plan *runner.Plan, suite *scenario.Suite, d *diag.List) (*runner.Plan, error) {
	if d.Errors() > 0 {
		return plan, nil
	}
	return f.cut(app, plan, suite)
}

// remarkPart says that a run is one shard, or that shards are missing from it.
func (a *App) remarkPart(name string, run *result.Run) {
	if s := run.Shard; s != nil {
		a.remark("%s is shard %s of a run: it has %d of %s", name, s, run.Briefs.Len(),
			plural.Of(s.Planned, "trial", "trials"))
	}
	if m := run.Merged; m != nil && len(m.Missing) > 0 {
		a.remark("%s was merged from shards, and is not complete: %s", name, strings.Join(m.Missing, "; "))
	}
}
