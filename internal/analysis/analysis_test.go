package analysis_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/analysis"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// trials is a source of trials.
type trials []*result.Trial

func (s trials) Trial(i int) (*result.Trial, error) { return s[i], nil }
func (s trials) Raw(int) ([]byte, error)            { return nil, nil }

// runOf is a run of trials.
func runOf(all ...*result.Trial) *result.Run {
	briefs := make([]result.Brief, len(all))
	for i, t := range all {
		t.Index = i
		briefs[i] = result.NewBrief(t)
	}
	return &result.Run{Trials: trials(all), Briefs: result.BriefsOf(briefs...)}
}

// trial is one that took and cost so much.
func trial(scenario string, n int, status result.Status, ms, usd float64, calls ...result.ToolCall) *result.Trial {
	t := &result.Trial{
		ID: fmt.Sprintf("%s/gpt/default#%d", scenario, n), Scenario: scenario, Provider: "gpt", Region: "default", Trial: n,
		Trials: 9, Status: status, DurationMS: ms, CostUSD: &usd,
	}
	t.Usage.Calls, t.Usage.ToolCalls = 1+len(calls), len(calls)
	t.Turns = []result.Turn{{ToolCalls: calls}}
	return t
}

func TestSpread(t *testing.T) {
	t.Parallel()
	var all []*result.Trial
	for i, ms := range []float64{1000, 1100, 1200, 1300, 9000, 10} {
		all = append(all, trial("refund", i+1, result.Passed, ms, 0.01*float64(i+1)))
	}
	all = append(all, trial("refund", 7, result.Errored, 99999, 9), trial("refund", 8, result.Skipped, 0, 0),
		trial("greet", 1, result.Failed, 5, 0.5))
	r, err := analysis.Analyze(analysis.Input{Name: "out", Run: runOf(all...)})
	if err != nil {
		t.Fatal(err)
	}
	want := &analysis.Spread{
		N: 6, Mean: 2268.3333333333335, Low: 10, Quarter: 1025, Median: 1150, Threes: 1275, Percent95: 7075, High: 9000,
	}
	if diff := cmp.Diff(want, r.Groups[0].DurationMS); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Runs[0].LeftOut != 2 || r.Groups[0].Trials != 6 || r.Providers[0].Trials != 7 || r.Groups[1].Passed != 0 {
		t.Errorf("%+v", r)
	}
	var far []string
	for _, o := range r.Outliers.List {
		far = append(far, fmt.Sprintf("%s %s %g beyond %g", o.Trial, o.What, o.Value, o.Fence))
	}
	// The cost of a single trial of another scenario is none, and neither are those that rise evenly.
	if diff := cmp.Diff([]string{
		"refund/gpt/default#5 duration_ms 9000 beyond 1650", "refund/gpt/default#6 duration_ms 10 beyond 650",
	}, far); diff != "" {
		t.Errorf("outliers (-want +got):\n%s", diff)
	}
}

// TestEqualNumbers: where nearly all trials take the same, what differs by little does not stand out.
func TestEqualNumbers(t *testing.T) {
	t.Parallel()
	var all []*result.Trial
	for i := range 10 {
		all = append(all, trial("s", i+1, result.Passed, 1000, 1))
	}
	all = append(all, trial("s", 11, result.Passed, 1049, 1.1), trial("s", 12, result.Passed, 1500, 3))
	r, err := analysis.Analyze(analysis.Input{Run: runOf(all...)})
	if err != nil || r.Outliers.Total != 2 || r.Outliers.List[0].Trial != "s/gpt/default#12" {
		t.Errorf("%v, %+v", err, r.Outliers)
	}
}

// TestRepeatedCalls: the same tool with the same arguments in any order, also over turns; others are not.
func TestRepeatedCalls(t *testing.T) {
	t.Parallel()
	call := func(tool string, args chat.Args, failed string) result.ToolCall {
		return result.ToolCall{Name: tool, Args: args, Error: failed}
	}
	one := trial("s", 1, result.Passed, 1, 1, call("get", chat.Args{"a": 1, "b": "x"}, ""), call("get", chat.Args{"a": 2}, ""),
		call("get", chat.Args{"b": "x", "a": 1}, "down"), call("list", nil, ""))
	one.Turns = append(one.Turns, result.Turn{ToolCalls: []result.ToolCall{call("list", chat.Args{}, ""), call("get", chat.Args{"a": 1, "b": "x"}, "")}})
	one.Usage.ToolCalls = 6
	r, err := analysis.Analyze(analysis.Input{Name: "out", Run: runOf(one)})
	if err != nil {
		t.Fatal(err)
	}
	where := analysis.Place{Run: "out", Trial: "s/gpt/default#1", Scenario: "s", Provider: "gpt"}
	want := []analysis.Repeat{
		{Place: where, Tool: "get", Arguments: `{"a":1,"b":"x"}`, Times: 3, Failed: 1},
		{Place: where, Tool: "list", Arguments: "{}", Times: 2},
	}
	if diff := cmp.Diff(want, r.Repeated.List); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFlaky: trials that ask for the same, of one run or of several, some of which passed and some not.
func TestFlaky(t *testing.T) {
	t.Parallel()
	monday := runOf(trial("a", 1, result.Passed, 1, 1), trial("a", 2, result.Failed, 1, 1), trial("b", 1, result.Passed, 1, 1),
		trial("c", 1, result.Failed, 1, 1))
	tuesday := runOf(trial("a", 1, result.Passed, 1, 1), trial("b", 1, result.Errored, 1, 1), trial("c", 1, result.Failed, 1, 1))
	r, err := analysis.Analyze(analysis.Input{Name: "mon", Run: monday}, analysis.Input{Name: "tue", Run: tuesday})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Flaky.List {
		got = append(got, fmt.Sprintf("%s %d/%d/%d %v", f.Name, f.Passed, f.Failed, f.Errors, f.Runs))
	}
	if diff := cmp.Diff([]string{"b/gpt/default 1/0/1 [mon tue]", "a/gpt/default 2/1/0 [mon tue]"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMost: lists are cut to what stands out most, and say how many there were.
func TestMost(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	var all []*result.Trial
	for i := range 2000 {
		one := trial("s", i+1, result.Passed, 1, 1)
		one.Usage.Calls = 2 + random.IntN(1000)
		all = append(all, one)
	}
	r, err := analysis.Analyze(analysis.Input{Run: runOf(all...)})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(all, func(a, b *result.Trial) int { return b.Usage.Calls - a.Usage.Calls })
	if r.Longest.Total != 2000 || len(r.Longest.List) != analysis.Most {
		t.Fatalf("%d of %d", len(r.Longest.List), r.Longest.Total)
	}
	for i := range r.Longest.List {
		if got := r.Longest.List[i].Rounds; got != all[i].Usage.Calls {
			t.Errorf("the %d. has %d calls, want %d", i, got, all[i].Usage.Calls)
		}
	}
	if _, err := analysis.Analyze(analysis.Input{Name: "empty", Run: runOf()}); err == nil {
		t.Error("a run without trials is analyzed")
	}
}
