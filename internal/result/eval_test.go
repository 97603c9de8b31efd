package result

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arena-evals/arena/internal/diag"
)

// measured is a trial with these results of evals, and one assertion that held.
func measured(index int, evals ...EvalResult) *Trial {
	t := &Trial{
		Index: index, Scenario: "s", Trial: index + 1, Trials: 1, Conversation: []Verdict{{Type: "a", Status: Passed}},
		Evals: evals,
	}
	t.Settle()
	return t
}

// gating is the result of an eval with a threshold.
func gating(id string, status Status) EvalResult {
	return EvalResult{ID: id, Type: "contains", Turn: -1, Status: status, MinScore: new(0.5)}
}

func TestEvalsSettle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		evals []EvalResult
		want  Status
	}{
		{"none has a threshold", []EvalResult{{Score: new(0.0)}, {Error: "down"}, {Skipped: true}}, Passed},
		{"met", []EvalResult{gating("x", Passed)}, Passed},
		{"missed", []EvalResult{gating("x", Passed), gating("y", Failed), gating("z", Errored)}, Failed},
		{"not judged", []EvalResult{gating("x", Errored)}, Errored},
		{"not asked", []EvalResult{gating("x", Skipped)}, Passed},
		{"stopped", []EvalResult{gating("x", Cancelled)}, Cancelled},
		{"nobody decided", []EvalResult{gating("x", Unset)}, Errored},
	} {
		if got := measured(0, c.evals...).Status; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestEvalsFailOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		trial  *Trial
		failOn []string
		want   int
	}{
		{"by default", measured(0, gating("x", Failed)), nil, ExitFailed},
		{"as an assertion", measured(0, gating("x", Failed)), []string{FailOnAssertion}, ExitFailed},
		{"alone", measured(0, gating("x", Failed)), []string{FailOnEval}, ExitFailed},
		{"beside something else", measured(0, gating("x", Failed)), []string{FailOnError}, ExitFailed},
		{"without a threshold", measured(0, EvalResult{Score: new(0.0)}), []string{FailOnEval}, ExitPassed},
		{"met", measured(0, gating("x", Passed)), []string{FailOnEval}, ExitPassed},
		{"not judged", measured(0, gating("x", Errored)), nil, ExitError},
		{"not judged without a threshold", measured(0, EvalResult{Error: "down"}), nil, ExitPassed},
		{"that is asked for", measured(0, EvalResult{Error: "down"}), []string{FailOnEval}, ExitError},
		{"one of several", measured(0, EvalResult{Score: new(1.0)}, EvalResult{Error: "down"}), []string{FailOnEval}, ExitError},
		{"skipped", measured(0, EvalResult{Skipped: true}), []string{FailOnEval}, ExitPassed},
	} {
		var col Collector
		col.Add(c.trial)
		run := &Run{Planned: 1, FailOn: c.failOn}
		col.Finish(run)
		if got := run.Exit(false); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestEvalsOfGroups: an eval that misses its threshold in one of several trials fails the group, whatever holds beside
// it, and one that is not judged breaks it.
func TestEvalsOfGroups(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		second []EvalResult
		want   Status
		stats  []AssertionStats
	}{
		{[]EvalResult{gating("x", Passed), gating("x", Failed)}, Failed, []AssertionStats{
			{Turn: -1, Type: "a", Passed: 2, PassRate: 1, PassThreshold: 1, Status: Passed},
			{Turn: -1, Eval: "x", Type: "contains", Passed: 2, PassRate: 1, PassThreshold: 1, Status: Passed},
			{Turn: -1, Index: 1, Eval: "x", Type: "contains", Passed: 1, Failed: 1, PassRate: 0.5, Flakiness: 1,
				PassThreshold: 1, Status: Failed},
		}},
		{[]EvalResult{gating("x", Errored), gating("x", Passed)}, Errored, nil},
		{[]EvalResult{gating("x", Passed), gating("x", Passed), {Score: new(0.0)}}, Passed, nil},
	} {
		var col Collector
		for i, evals := range [][]EvalResult{{gating("x", Passed), gating("x", Passed)}, c.second} {
			trial := measured(i, evals...)
			trial.Trials = 2
			col.Add(trial)
		}
		run := &Run{Planned: 2}
		col.Finish(run)
		if got := run.Groups[0].Status; got != c.want || run.Status != c.want {
			t.Errorf("%s, run %s, want %s", got, run.Status, c.want)
		}
		if diff := cmp.Diff(c.stats, run.Groups[0].Assertions, barless); c.stats != nil && diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestEvalStats adds the same trials in any order.
func TestEvalStats(t *testing.T) {
	t.Parallel()
	at := func(line int32) diag.Pos { return diag.Pos{File: "pack.json", Line: line} }
	var trials []*Trial
	for i, score := range []float64{0.1, 0.2, 0.3, 0.7} {
		trials = append(trials, measured(i,
			EvalResult{ID: "b", Type: "regex", Position: at(2), Score: &score},
			EvalResult{ID: "a", Type: "contains", Position: at(9), Error: "down"},
			EvalResult{ID: "a", Type: "contains", Position: at(3), Skipped: true},
			EvalResult{ID: "c", Type: "regex", MinScore: new(0.5), Status: Failed, Score: &score},
		))
	}
	trials[2].Evals[1].Error = "lost"
	trials[0].Evals[1].Error = "first"
	want := []EvalStats{
		{ID: "a", Type: "contains", Results: 4, Skipped: 4, Position: at(3)},
		{ID: "a", Type: "contains", Results: 4, Errors: 4, Error: "first", Position: at(9)},
		{ID: "b", Type: "regex", Results: 4, Scored: 4, Mean: new(0.325), Low: new(0.1), High: new(0.7), Position: at(2)},
		{ID: "c", Type: "regex", Results: 4, Scored: 4, Mean: new(0.325), Low: new(0.1), High: new(0.7), Gates: true, Failed: 4},
	}
	for range 10 {
		var col Collector
		for _, i := range rand.Perm(len(trials)) {
			col.Add(trials[i])
		}
		run := &Run{Planned: len(trials)}
		col.Finish(run)
		if diff := cmp.Diff(want, run.Evals); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		count := EvalCount{Total: 16, Scored: 8, Errors: 4, Skipped: 4, Failed: 4}
		if diff := cmp.Diff(&count, run.Summary.Evals); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

// TestEvalJudgements: what evals ask is part of what judges cost, and identical questions are counted once.
func TestEvalJudgements(t *testing.T) {
	t.Parallel()
	judgement := Judgement{Key: "k", CostUSD: new(0.5)}
	trial := measured(0, EvalResult{Judgements: []Judgement{judgement}})
	trial.Conversation[0].Judgements = []Judgement{judgement, {Key: "l", CostUSD: new(0.25)}, {Key: "m"}}
	if got := JudgesOf(trial); got.Calls != 2 || *got.CostUSD != 0.75 {
		t.Errorf("%+v", got)
	}
}

func TestMetric(t *testing.T) {
	t.Parallel()
	if got := DefaultMetric("tone-check/α 1", diag.Pos{Line: 3}); got.Name != "tone_check___1" || got.Type != Gauge || got.Pos.Line != 3 {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		metric Metric
		want   []float64
	}{
		{Metric{Type: Gauge, Buckets: []float64{1}}, nil},
		{Metric{Type: Histogram, Buckets: []float64{1, 2}}, []float64{1, 2}},
		{Metric{Type: Histogram}, []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}},
		{Metric{Type: Histogram, High: new(5.0)}, []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}},
		{Metric{Type: Histogram, Low: new(-5.0), High: new(5.0)}, []float64{-4, -3, -2, -1, 0, 1, 2, 3, 4, 5}},
		{Metric{Type: Histogram, Low: new(2.0), High: new(2.0)}, []float64{2}},
	} {
		if diff := cmp.Diff(c.want, c.metric.Bounds(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.metric, diff)
		}
	}
}
