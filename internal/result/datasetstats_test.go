package result_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// rowTrial is a trial of a row with one check of a score; nil: it could not judge.
func rowTrial(index int, row string, score *float64, more ...func(*result.Trial)) *result.Trial {
	v := result.Verdict{
		Type: "contains", Status: result.Errored, Score: score, Position: diag.Pos{File: "s.yaml", Line: 9},
	}
	if score != nil {
		v.Status = result.Failed
		if *score >= 0.5 {
			v.Status = result.Passed
		}
	}
	t := &result.Trial{
		Index: index, ID: "s/p/default[" + row + "]", Scenario: "s", Provider: "p", Region: "default", Trial: 1, Trials: 1,
		Row:      &result.Row{ID: row, Number: index + 1, Position: diag.Pos{File: "rows.csv", Line: int32(index + 2)}},
		Position: diag.Pos{File: "s.yaml", Line: 1}, DurationMS: float64(10 * (index + 1)), CostUSD: new(0.001),
		Usage: result.Usage{Calls: 1}, Turns: []result.Turn{{Assertions: []result.Verdict{v}}},
	}
	for _, f := range more {
		f(t)
	}
	t.Settle()
	return t
}

func collected(trials ...*result.Trial) *result.Run {
	var c result.Collector
	for _, t := range trials {
		c.Add(t)
	}
	run := &result.Run{Planned: len(trials)}
	c.Finish(run)
	return run
}

func datasetOf(t *testing.T, trials ...*result.Trial) result.DatasetStats {
	t.Helper()
	run := collected(trials...)
	if len(run.Datasets) != 1 {
		t.Fatalf("%d datasets, want 1: %+v", len(run.Datasets), run.Datasets)
	}
	return run.Datasets[0]
}

// TestDatasetStats: rows that broke are no passes and are told apart, the rest adds up.
func TestDatasetStats(t *testing.T) {
	t.Parallel()
	broke := func(t *result.Trial) { t.Error, t.CostUSD = "no reply", nil }
	skipped := func(t *result.Trial) {
		t.Status, t.Turns, t.Usage, t.CostUSD = result.Skipped, nil, result.Usage{}, nil
	}
	stopped := func(t *result.Trial) {
		t.Status, t.Turns[0].Assertions[0].Status = result.Cancelled, result.Cancelled
	}
	gone := func(t *result.Trial) { t.Gone = true }
	got := datasetOf(t, rowTrial(0, "a", new(1.0)), rowTrial(1, "b", new(0.5)), rowTrial(2, "c", new(0.0)),
		rowTrial(3, "d", new(1.0), broke), rowTrial(4, "e", nil), rowTrial(5, "f", nil, skipped),
		rowTrial(6, "g", nil, stopped), rowTrial(7, "h", new(0.0), gone), rowTrial(8, "i", new(0.25)))
	want := result.DatasetStats{
		Scenario: "s", Provider: "p", Region: "default", Dataset: "rows.csv", Position: diag.Pos{File: "s.yaml", Line: 1},
		RowCounts: result.RowCounts{Rows: 8, Passed: 2, Failed: 2, Errors: 2, Skipped: 1, Cancelled: 1},
		PassRate:  new(2.0 / 6), Interval: got.Interval, Trials: 8, CostUSD: new(0.006), Unpriced: 1,
		Cost:     &result.Spread{N: 6, Mean: 0.001, Deviation: new(0.0), Low: 0.001, High: 0.001},
		Duration: got.Duration,
		Checks: []result.RowsCheck{{
			Type: "contains", Position: diag.Pos{File: "s.yaml", Line: 9}, Gates: true,
			Passed: 3, Failed: 2, Errors: 1, Skipped: 1,
			PassRate: new(0.5), Interval: got.Checks[0].Interval,
			Scores: &result.Spread{N: 5, Mean: 0.55, Deviation: new(0.44721359549995793), Low: 0, High: 1},
		}},
		Worst: []result.WorstRow{
			{Row: "c", Trial: "s/p/default[c]", Status: result.Failed, Trials: 1, Score: new(0.0)},
			{Row: "i", Trial: "s/p/default[i]", Status: result.Failed, Trials: 1, Score: new(0.25)},
			{Row: "d", Trial: "s/p/default[d]", Status: result.Errored, Trials: 1, Score: new(1.0)},
			{Row: "e", Trial: "s/p/default[e]", Status: result.Errored, Trials: 1},
			{Row: "b", Trial: "s/p/default[b]", Status: result.Passed, Trials: 1, Passed: 1, Score: new(0.5)},
		},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	unseen := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".index" }, cmp.Ignore())
	if diff := cmp.Diff(want, got, near, unseen, cmp.AllowUnexported(result.WorstRow{})); diff != "" {
		t.Error(diff)
	}
	if i := got.Interval; i == nil || math.Abs(i.Low-0.0433) > 1e-3 || math.Abs(i.High-0.7772) > 1e-3 {
		t.Errorf("2 of 6 rows: the interval is %+v", i)
	}
	if d := got.Duration; d.N != 7 || d.Low != 10 || d.High != 90 {
		t.Errorf("times: %+v", d)
	}
}

// TestDatasetGroups: a row with several trials passes as its group does, and its results are not counted as if each
// were of a row of its own.
func TestDatasetGroups(t *testing.T) {
	t.Parallel()
	trial := func(index int, row string, number int, score, threshold float64) *result.Trial {
		return rowTrial(index, row, &score, func(t *result.Trial) {
			t.Trial, t.Trials, t.ID = number, 2, fmt.Sprintf("s/p/default#%d[%s]", number, row)
			t.Turns[0].Assertions[0].PassThreshold = &threshold
		})
	}
	got := datasetOf(t, trial(0, "a", 1, 1, 0.5), trial(1, "a", 2, 0, 0.5), trial(2, "b", 1, 0, 0.5),
		trial(3, "b", 2, 0, 0.5), trial(4, "c", 1, 1, 0.5), trial(5, "c", 2, 1, 0.5))
	if want := (result.RowCounts{Rows: 3, Passed: 2, Failed: 1}); got.RowCounts != want || got.Trials != 6 {
		t.Errorf("rows: got %+v of %d trials, want %+v", got.RowCounts, got.Trials, want)
	}
	if c := got.Checks[0]; c.Interval != nil || *c.PassRate != 0.5 {
		t.Errorf("the check: %+v", c)
	}
	if len(got.Worst) != 2 || got.Worst[0].Row != "b" || got.Worst[1].Row != "a" ||
		got.Worst[1].Trial != "s/p/default#2[a]" || got.Worst[1].Passed != 1 || *got.Worst[1].Score != 0.5 {
		t.Errorf("worst: %+v", got.Worst)
	}
}

// TestDatasetVariants: what a perturbation changed is counted apart.
func TestDatasetVariants(t *testing.T) {
	t.Parallel()
	of := func(index int, row, tone string, score float64) *result.Trial {
		return rowTrial(index, row, &score, func(t *result.Trial) {
			t.Variant, t.Trial, t.Trials = map[string]string{"tone": tone}, index%2+1, 2
		})
	}
	got := datasetOf(t, of(0, "a", "kind", 1), of(1, "a", "rude", 0), of(2, "b", "kind", 1), of(3, "b", "rude", 1))
	if got.Passed != 1 || got.Failed != 1 || len(got.Variants) != 2 || len(got.Checks) != 2 {
		t.Fatalf("got %+v", got)
	}
	for i, want := range []struct {
		tone string
		rate float64
	}{{"kind", 1}, {"rude", 0.5}} {
		v, c := got.Variants[i], got.Checks[i]
		if v.Variant["tone"] != want.tone || *v.PassRate != want.rate || c.Variant["tone"] != want.tone ||
			*c.PassRate != want.rate || c.Interval == nil {
			t.Errorf("%s: %+v, %+v", want.tone, v, c)
		}
	}
}

// TestDatasetOrder: the statistics are those of the trials, in whatever order these ended, and of each scenario and
// provider apart.
func TestDatasetOrder(t *testing.T) {
	t.Parallel()
	var trials []*result.Trial
	for i := range 60 {
		score := float64(i%7) / 6
		trials = append(trials, rowTrial(i, fmt.Sprintf("r%d", i), &score, func(t *result.Trial) {
			t.CostUSD = new(0.1 + float64(i)/3)
			t.Provider = []string{"p", "q"}[i%2]
			low := score / 3
			t.Evals = []result.EvalResult{{ID: "tone", Type: "sentiment", Score: &low}, {ID: "down", Type: "x", Error: "no"}}
		}))
	}
	first := collected(trials...).Datasets
	if len(first) != 2 || first[0].Provider != "p" || len(first[0].Worst) != result.WorstRows ||
		len(first[0].Checks) != 3 {
		t.Fatalf("got %+v", first)
	}
	if e := first[0].Checks[1]; e.Eval != "down" || e.Gates || e.Errors != 30 || e.PassRate != nil || e.Scores != nil {
		t.Errorf("an eval that measures: %+v", e)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		random.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
		if diff := cmp.Diff(first, collected(trials...).Datasets, cmp.AllowUnexported(result.WorstRow{})); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestDatasetExtremes: numbers as large as results may hold neither overflow nor lose what they are.
func TestDatasetExtremes(t *testing.T) {
	t.Parallel()
	huge := func(t *result.Trial) { t.CostUSD, t.DurationMS = new(float64(chat.Most)), chat.Most }
	got := datasetOf(t, rowTrial(0, "a", new(1.0), huge), rowTrial(1, "b", new(1.0), huge), rowTrial(2, "c", new(1.0)))
	for _, s := range []*result.Spread{got.Cost, got.Duration} {
		if s.N != 3 || math.IsNaN(s.Mean) || s.Mean <= 0 || *s.Deviation <= 0 || s.High != chat.Most {
			t.Errorf("got %+v", s)
		}
	}
}

// TestDatasetJudges: what judges took is there beside what agents cost, and an answer that rows share counts once.
func TestDatasetJudges(t *testing.T) {
	t.Parallel()
	judged := func(key string, usd *float64) func(*result.Trial) {
		return func(t *result.Trial) {
			t.Turns[0].Assertions[0].Judgements = []result.Judgement{{
				Key: key, Usage: chat.Usage{InputTokens: 10, OutputTokens: 1}, CostUSD: usd,
			}}
		}
	}
	if got := datasetOf(t, rowTrial(0, "a", new(1.0))).Judges; got != nil {
		t.Errorf("without a judge: %+v", got)
	}
	got := datasetOf(t, rowTrial(0, "a", new(1.0), judged("one", new(0.25))),
		rowTrial(1, "b", new(1.0), judged("two", new(0.5))), rowTrial(2, "c", new(1.0), judged("two", new(0.5))))
	want := &result.SideCost{Usage: chat.Usage{InputTokens: 20, OutputTokens: 2}, Calls: 2, CostUSD: new(0.75)}
	if diff := cmp.Diff(want, got.Judges); diff != "" {
		t.Error(diff)
	}
	if *got.CostUSD != 0.003 {
		t.Errorf("the agents cost %v, want 0.003", *got.CostUSD)
	}
	unpriced := datasetOf(t, rowTrial(0, "a", new(1.0), judged("one", nil))).Judges
	if unpriced == nil || unpriced.CostUSD != nil || unpriced.Calls != 1 {
		t.Errorf("of unknown price: %+v", unpriced)
	}
}
