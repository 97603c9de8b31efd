package metrics_test

import (
	"bytes"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/result"
)

var update = flag.Bool("update", false, "write testdata; read the diff")

// declared are metrics of every kind.
var (
	tone = &result.Metric{
		Name: "tone_score", Type: result.Gauge, Help: "How it sounds.", Labels: map[string]string{"team": "qa", "area": "web"},
	}
	runs       = &result.Metric{Name: "arena_eval_runs_total", Type: result.Counter}
	spread     = &result.Metric{Name: "quality", Type: result.Histogram, Buckets: []float64{0.25, 0.5, 1}}
	whole      = &result.Metric{Name: "whole", Type: result.Boolean}
	withoutURL = result.DefaultMetric("is-plain", diag.Pos{})
)

func options() metrics.Options {
	return metrics.Options{
		Namespace: "arena", Const: map[string]string{"env": "ci"}, By: []string{"scenario", "tenant"},
		Evals: []*result.Metric{tone, runs, spread, whole, withoutURL},
	}
}

func trial(index int, status result.Status) *result.Trial {
	return &result.Trial{
		Index: index, ID: "refund/gpt-4o/default", Scenario: "refund", Provider: "gpt-4o", Model: "gpt-4o-mini",
		Region: "default", Trial: index + 1, Trials: 2, Labels: map[string]string{"tenant": "acme"}, Status: status,
		DurationMS: 1500, Retries: 1, CostUSD: new(0.002),
		Usage: result.Usage{Usage: chat.Usage{InputTokens: 100, OutputTokens: 20, CachedTokens: 10}, Calls: 2, ToolCalls: 1},
		Turns: []result.Turn{{
			Messages: []chat.Message{
				{Role: chat.User, Content: "hi"},
				{Role: chat.Assistant, Usage: &chat.Usage{}, LatencyMS: 700},
				{Role: chat.ToolRole},
				{Role: chat.Assistant, Usage: &chat.Usage{}, LatencyMS: 40},
				{Role: chat.Assistant, Content: "said by a guardrail"},
			},
			ToolCalls: []result.ToolCall{{Name: "get_order"}, {Name: "get_order", Error: "down"}},
			Guardrails: []result.Firing{
				{Verdict: result.Verdict{Type: "banned_words", Status: result.Failed}, Action: result.Replaced},
				{Verdict: result.Verdict{Type: "llm_judge", Status: result.Errored}},
			},
			Assertions: []result.Verdict{
				{Type: "contains", Status: result.Passed}, {Type: "contains", Status: result.Failed},
				{Type: "llm_judge", Status: result.Errored, Judgements: []result.Judgement{
					{Key: "a", Judge: "strict", Model: "m", Usage: chat.Usage{InputTokens: 7}, CostUSD: new(0.5)},
					{Key: "b", Judge: "strict", Model: "m"}, // was not answered
				}},
			},
		}},
	}
}

func eval(id string, m *result.Metric, score float64) result.EvalResult {
	return result.EvalResult{ID: id, Score: &score, Metric: m}
}

// TestRun feeds a run of every kind of event and compares what Prometheus reads.
func TestRun(t *testing.T) {
	t.Parallel()
	m, err := metrics.New(options())
	if err != nil {
		t.Fatal(err)
	}
	run := &result.Run{Arena: "v1", Name: "shop", Started: time.Unix(1_700_000_000, 5e8), Planned: 4, DurationMS: 2500}
	m.Start(run)
	first := trial(0, result.Passed)
	first.Evals = []result.EvalResult{
		eval("tone", tone, 0.5), eval("n", runs, 0), eval("n", runs, 1), eval("q", spread, 0.5), eval("w", whole, 1),
		eval("is-plain", nil, 0.25), {ID: "sick", Error: "down", Metric: tone}, {ID: "idle", Skipped: true, Metric: whole},
	}
	second := trial(1, result.Failed)
	second.CostUSD = nil
	second.Evals = []result.EvalResult{
		eval("tone", tone, 1), eval("w", whole, 1-1e-12), eval("is-plain", withoutURL, 1), {ID: "q", Metric: spread},
		{ID: "q", Score: new(0.9), MetricValue: new(7.0), Metric: spread},
	}
	skipped := &result.Trial{Index: 2, Provider: "gpt-4o", Status: result.Skipped}
	never := &result.Trial{Index: 3, Provider: "gpt-4o", Status: result.Cancelled}
	for _, e := range []result.Event{
		result.TrialStarted{Index: 0}, result.TrialStarted{Index: 1}, result.TrialStarted{Index: 2},
		result.TrialDone{Trial: second}, result.TrialDone{Trial: first}, // the later one of the plan ends first
		result.TrialDone{Trial: skipped}, result.TrialDone{Trial: never},
	} {
		if err := m.Handle(e); err != nil {
			t.Fatal(err)
		}
	}
	run.Status = result.Failed
	m.Finish(run)
	golden(t, "run.prom", written(t, m))
}

func written(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	var b strings.Builder
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// TestLint asks Prometheus's own parser and linter, those of `promtool check metrics`.
func TestLint(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "run.prom"))
	if err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil || len(families) == 0 {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(slices.Collect(maps.Values(families))).Lint()
	if err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}

// TestLatestTrial: a gauge shows the last trial in the order of the plan, in whatever order they end.
func TestLatestTrial(t *testing.T) {
	t.Parallel()
	var first string
	for i, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		m, err := metrics.New(options())
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range order {
			done := trial(at, result.Passed)
			done.Evals = []result.EvalResult{eval("tone", tone, 0.1), eval("tone", tone, float64(at)/4)} // two turns
			done.CostUSD, done.DurationMS = new(float64(at+1)/10), float64(at+1)*100                     // 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1
			if err := m.Handle(result.TrialDone{Trial: done}); err != nil {
				t.Fatal(err)
			}
		}
		got := written(t, m)
		if i == 0 {
			first = got
		}
		if !strings.Contains(got, `tone_score{area="web",env="ci",scenario="refund",team="qa",tenant="acme"} 0.5`) || got != first {
			t.Errorf("%v:\n%s", order, got)
		}
	}
}

// TestHostile: names and numbers that models and files make up break nothing.
func TestHostile(t *testing.T) {
	t.Parallel()
	m, err := metrics.New(options())
	if err != nil {
		t.Fatal(err)
	}
	bad := trial(0, result.Passed)
	bad.Scenario, bad.Provider = "evil\"\n\xff", "p\\"
	bad.Usage.InputTokens, bad.Retries, bad.CostUSD = -5, -1, new(-1.0)
	bad.Evals = []result.EvalResult{eval("tone", tone, 0)}
	for range 600 {
		made := &bad.Turns[0].ToolCalls
		*made = append(*made, result.ToolCall{Name: "tool" + strings.Repeat("x", len(*made))})
	}
	if err := m.Handle(result.TrialDone{Trial: bad}); err != nil {
		t.Fatal(err)
	}
	got := written(t, m)
	for _, want := range []string{
		`scenario="evil\"\n` + "\uFFFD" + `"`, `provider="p\\"`,
		`arena_tokens_total{env="ci",kind="input",model="gpt-4o-mini",provider="p\\"} 0`,
		`arena_tool_calls_total{env="ci",outcome="ok",tool="other"} 101`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if n := strings.Count(got, "arena_tool_calls_total{"); n != 502 {
		t.Errorf("%d tools are told apart", n)
	}
}

// TestSigns: no series holds a character that a terminal would obey, whoever gave it its labels; names that look alike
// then are counted together.
func TestSigns(t *testing.T) {
	t.Parallel()
	const raw, seen = "a\x1b[31m\u202Ez\u200B\x07\u0085", "a␛[31m⟨U+202E⟩z⟨U+200B⟩␇⟨U+0085⟩"
	odd := &result.Metric{Name: "odd", Type: result.Gauge, Help: raw, Labels: map[string]string{"team": raw}}
	o := options()
	o.Const["env"], o.Evals = raw, append(o.Evals, odd)
	m, err := metrics.New(o)
	if err != nil {
		t.Fatal(err)
	}
	bad := trial(0, result.Passed)
	bad.Scenario, bad.Provider, bad.Model, bad.Labels["tenant"] = raw, raw, raw, raw
	bad.Evals = []result.EvalResult{eval(raw, odd, 1)}
	turn := &bad.Turns[0]
	turn.ToolCalls = []result.ToolCall{{Name: raw}, {Name: seen}, {Name: raw, Error: "down"}}
	turn.Guardrails[0].Verdict.Type = raw
	turn.Assertions[0].Type = raw
	turn.Assertions[2].Judgements[0].Judge, turn.Assertions[2].Judgements[0].Model = raw, raw
	if err := m.Handle(result.TrialDone{Trial: bad}); err != nil {
		t.Fatal(err)
	}
	got := written(t, m)
	if i := strings.IndexFunc(got, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("%q is written as it is: %.200s", got[i:i+1], got[i:])
	}
	for _, want := range []string{
		`arena_tool_calls_total{env="` + seen + `",outcome="ok",tool="` + seen + `"} 2`,
		`arena_eval_odd{env="` + seen + `",scenario="` + seen + `",team="` + seen + `",tenant="` + seen + `"} 1`,
		"# HELP arena_eval_odd " + seen,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, f := range metrics.Catalogue() {
		if names[f.Name] || !strings.HasSuffix(f.Help, ".") || (f.Type == "histogram") != (f.Buckets != nil) ||
			(f.Type == "counter") != strings.HasSuffix(f.Name, "_total") {
			t.Errorf("%+v", f)
		}
		names[f.Name] = true
	}
}

// TestMeanwhile: who reads while a trial is taken sees all of it or nothing.
func TestMeanwhile(t *testing.T) {
	t.Parallel()
	m, err := metrics.New(metrics.Options{Namespace: "arena"})
	if err != nil {
		t.Fatal(err)
	}
	const many = 200
	done := make(chan error)
	go func() {
		var errs []error
		for i := range many {
			errs = append(errs, m.Handle(result.TrialDone{Trial: trial(i, result.Passed)}))
		}
		done <- errors.Join(errs...)
	}()
	for over := false; !over; {
		select {
		case err := <-done:
			if over = true; err != nil {
				t.Fatal(err)
			}
		default:
		}
		sums := map[string]float64{}
		for _, g := range m.Gather() {
			for _, s := range g.Samples {
				sums[s.Name] += s.Value
			}
		}
		trials := sums["arena_trials_total"]
		if sums["arena_provider_calls_total"] != 2*trials || sums["arena_judge_calls_total"] != min(1, trials) ||
			sums["arena_verdicts_total"] != 3*trials || over && trials != many {
			t.Fatalf("%v", sums)
		}
	}
}
