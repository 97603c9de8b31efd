package runner

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// spending runs n trials with a limit of costs. The model costs what cost says of its i-th call.
func spending(t *testing.T, n, jobs int, limit float64, cost func(i int64) *float64) (w *watcher, spent float64) {
	t.Helper()
	var calls atomic.Int64
	client := answer(func(context.Context, *chat.Request) (chat.Reply, error) {
		return chat.Reply{
			Content: "ok", Usage: chat.Usage{InputTokens: 1, OutputTokens: 1}, CostUSD: cost(calls.Add(1)),
		}, nil
	})
	opts := options(jobs)
	opts.MaxCost = limit
	journal, _ := journalFor(t)
	w = &watcher{}
	if err := Run(t.Context(), planOf(t, n, client), opts, journal, w); err != nil {
		t.Fatal(err)
	}
	for _, trial := range w.trials {
		if trial.CostUSD != nil {
			spent += *trial.CostUSD
		}
		if trial.OverBudget != (trial.Status == result.Cancelled) {
			t.Errorf("%s: %s, over budget %v", trial.ID, trial.Status, trial.OverBudget)
		}
	}
	if len(w.trials) != n {
		t.Errorf("%d of %d trials were told", len(w.trials), n)
	}
	return w, spent
}

// TestBudgetIsHeld: whatever the trials cost to begin with and however many run at once, what is spent stays within the
// limit, and no more is left over than a trial may cost.
func TestBudgetIsHeld(t *testing.T) {
	t.Parallel()
	for _, jobs := range []int{1, 7, 50} {
		t.Run(fmt.Sprint(jobs, " at once"), func(t *testing.T) {
			t.Parallel()
			const each, limit = 0.02, 5.01 // many times the estimate of a trial
			w, spent := spending(t, 500, jobs, limit, func(int64) *float64 { return new(each) })
			if passed := w.count(result.Passed); passed != 250 || math.Abs(spent-250*each) > 1e-9 {
				t.Errorf("%d trials ran, for $%g", passed, spent)
			}
			last := w.trials[len(w.trials)-1]
			if want := "not run: --max-cost 5.01 leaves $0.0100 after $5.0000, and the next trial may cost $0.0200, " +
				"by the lengths of its texts and by what others came to"; last.Skip != want {
				t.Errorf("got  %s\nwant %s", last.Skip, want)
			}
		})
	}
}

// TestBudgetOfUnevenTrials: what is set aside follows the dearest trial so far, so that trials of many prices stay
// within the limit once a dear one has been seen.
func TestBudgetOfUnevenTrials(t *testing.T) {
	t.Parallel()
	w, spent := spending(t, 500, 50, 3, func(i int64) *float64 {
		if i == 1 {
			return new(0.05)
		}
		return new(0.01 + float64(i%5)/100)
	})
	if spent > 3 || spent < 3-50*0.05 || w.count(result.Cancelled) == 0 {
		t.Errorf("$%g were spent, %d trials did not run", spent, w.count(result.Cancelled))
	}
}

// TestBudgetThatIsEnough: no trial is left out.
func TestBudgetThatIsEnough(t *testing.T) {
	t.Parallel()
	w, spent := spending(t, 100, 10, 2, func(int64) *float64 { return new(0.02) })
	if w.count(result.Passed) != 100 || math.Abs(spent-2) > 1e-9 {
		t.Errorf("%d trials for $%g", w.count(result.Passed), spent)
	}
}

// TestBudgetNeedsPrices: after a trial whose cost nobody knows, none is started.
func TestBudgetNeedsPrices(t *testing.T) {
	t.Parallel()
	w, _ := spending(t, 100, 1, 2, func(i int64) *float64 {
		if i == 3 {
			return nil
		}
		return new(0.001)
	})
	last := w.trials[99]
	want := "not run: what the trial s002/p/default cost is not known, so --max-cost 2 cannot be held"
	if w.count(result.Passed) != 3 || last.Skip != want {
		t.Errorf("%d trials ran\ngot  %s\nwant %s", w.count(result.Passed), last.Skip, want)
	}
}

// TestStoppedWhileItWaits: a run that is stopped ends, also for the workers that wait for money.
func TestStoppedWhileItWaits(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	client := answer(func(ctx context.Context, _ *chat.Request) (chat.Reply, error) {
		stop(Stop()) // while the others wait for the first trial
		<-ctx.Done()
		return chat.Reply{}, context.Cause(ctx)
	})
	opts := options(8)
	opts.MaxCost = 1
	journal, _ := journalFor(t)
	w := &watcher{}
	if err := Run(ctx, planOf(t, 20, client), opts, journal, w); err != nil {
		t.Fatal(err)
	}
	for _, trial := range w.trials {
		if trial.Status != result.Cancelled || trial.OverBudget || strings.Contains(trial.Skip, "max-cost") {
			t.Errorf("%s: %s, %q", trial.ID, trial.Status, trial.Skip)
		}
	}
}

// TestEstimate: every turn sends all that was said before it, and replies are no longer than max_tokens.
func TestEstimate(t *testing.T) {
	t.Parallel()
	turn := func(text string) scenario.Turn { return scenario.Turn{Role: "user", Content: text} }
	limit := 100
	for _, c := range []struct {
		name          string
		turns         []scenario.Turn
		calls         CallParameters
		count         float64
		input, output int
	}{
		{"one turn", []scenario.Turn{turn("12345678")}, CallParameters{}, 1, 2, ReplyTokens},
		{"two turns", []scenario.Turn{turn("12345678"), turn("1234")}, CallParameters{}, 2, 2 + 2 + ReplyTokens + 1, 2 * ReplyTokens},
		{"short replies", []scenario.Turn{turn("1"), turn("1")}, CallParameters{MaxTokens: &limit}, 2, 1 + 1 + 100 + 1, 200},
		{
			"a picture",
			[]scenario.Turn{{Role: "user", Content: "what?", Parts: []chat.Part{{Type: "image"}}}},
			CallParameters{}, 1, 2 + mediaTokens, ReplyTokens,
		},
	} {
		plan := planOf(t, 1, nil, c.turns...)
		trial := plan.Trial(0)
		got := plan.Estimate(&trial, c.calls)
		if len(got) != 1 || got[0].Calls != c.count || got[0].Usage.InputTokens != c.input || got[0].Usage.OutputTokens != c.output {
			t.Errorf("%s: %+v", c.name, got)
			continue
		}
		if want := float64(c.input+c.output) / 100_000; got[0].USD == nil || math.Abs(*got[0].USD-want) > 1e-12 {
			t.Errorf("%s: $%v, want $%g", c.name, got[0].USD, want)
		}
	}
}

// TestBudgetOfOtherScenarios: what a scenario costs says little of what another one does, so the first trial of each is
// waited for.
func TestBudgetOfOtherScenarios(t *testing.T) {
	t.Parallel()
	client := answer(func(_ context.Context, req *chat.Request) (chat.Reply, error) {
		reply := chat.Reply{Content: "ok", Usage: chat.Usage{InputTokens: 1, OutputTokens: 1}, CostUSD: new(0.002)}
		if req.Origin.Scenario == "s001" {
			reply.CostUSD = new(0.026)
		}
		return reply, nil
	})
	opts := options(8)
	opts.MaxCost = 0.1
	journal, _ := journalFor(t)
	w := &watcher{}
	if err := Run(t.Context(), spread(t, client, 1, 1, 20), opts, journal, w); err != nil {
		t.Fatal(err)
	}
	dear := 0
	for _, trial := range w.trials {
		if trial.Scenario == "s001" && trial.Status == result.Passed {
			dear++
		}
	}
	if dear != 3 { // 3 × 0.026 and 0.002 leave less than 0.026; the cheap trial may be admitted too late
		t.Errorf("%d trials of 0.026 ran, and %d in all", dear, w.count(result.Passed))
	}
}

// TestMocked: what a mock says costs nobody anything, and stays so when its trial is judged again. What was recorded
// was paid once.
func TestMocked(t *testing.T) {
	t.Parallel()
	endpoint := func(kind string, simulated bool) *Endpoint {
		return &Endpoint{Spec: &scenario.Provider{Meta: scenario.Meta{ID: "p"}, Type: kind}, Simulated: simulated}
	}
	for name, c := range map[string]struct {
		trial Trial
		want  bool
	}{
		"mock":                {Trial{Endpoint: endpoint("mock", true)}, true},
		"model":               {Trial{Endpoint: endpoint("openai", false)}, false},
		"replay":              {Trial{Endpoint: endpoint("replay", true)}, false},
		"recorded":            {Trial{Endpoint: endpoint("", true), Recorded: &Recorded{}}, false},
		"model, judged again": {Trial{Endpoint: endpoint("", true), Finished: &Finished{Brief: briefOf(result.BriefShared{})}}, false},
		"mock, judged again": {
			Trial{Endpoint: endpoint("", true), Finished: &Finished{Brief: briefOf(result.BriefShared{Simulated: true})}}, true},
	} {
		if got := c.trial.Mocked(); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
