package runner

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// eval is a check that calls a function.
type eval func(ctx context.Context, s *checks.Subject) (checks.Finding, error)

func (f eval) Eval(ctx context.Context, s *checks.Subject) (checks.Finding, error) { return f(ctx, s) }

func assertion(name string, needs checks.Needs, f eval) scenario.Placed {
	return scenario.Placed{Compiled: &checks.Compiled{
		Spelling: &checks.Spelling{Def: &checks.Def{Name: name, Needs: needs}, Type: name},
		Terms:    &checks.Terms{}, Check: f,
	}}
}

func scores(score float64) eval {
	return func(context.Context, *checks.Subject) (checks.Finding, error) {
		return checks.Finding{Score: score}, nil
	}
}

func breaks(context.Context, *checks.Subject) (checks.Finding, error) {
	return checks.Finding{}, errors.New("down")
}

// conversation is a plan of one trial with two turns and these checks: of the turns, the project and the scenario.
func conversation(t *testing.T, first, second, global, last []scenario.Placed) *Plan {
	t.Helper()
	plan := planOf(t, 1, says("ok"), scenario.Turn{Role: "user", Content: "a", Assertions: first},
		scenario.Turn{Role: "user", Content: "b", Assertions: second})
	plan.spans[0].Project.Globals = global
	plan.spans[0].Scenario.Conversation = last
	return plan
}

// trialOf runs a plan of one trial.
func trialOf(ctx context.Context, plan *Plan, opts Options) *result.Trial {
	s := newSession(plan.Trial(0), &opts, nil)
	s.run(ctx)
	return s.out
}

func types(all []result.Verdict) []string {
	out := make([]string, len(all))
	for i := range all {
		out[i] = all[i].Type
	}
	return out
}

// TestCheapChecksRunFirst has the models of one list wait for each other, which hangs unless they run concurrently.
func TestCheapChecksRunFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var ran []string
		var together sync.WaitGroup
		together.Add(3)
		check := func(name string, needs checks.Needs) scenario.Placed {
			return assertion(name, needs, func(context.Context, *checks.Subject) (checks.Finding, error) {
				mu.Lock()
				ran = append(ran, name[:1])
				mu.Unlock()
				if needs&checks.NeedsModel != 0 {
					together.Done()
					together.Wait()
				}
				return checks.Finding{Score: 1}, nil
			})
		}
		global := []scenario.Placed{check("model 1", checks.NeedsModel), check("text 1", checks.NeedsReply)}
		last := []scenario.Placed{
			check("model 2", checks.NeedsModel), check("network", checks.NeedsNetwork), check("tool", checks.NeedsTool),
			check("model 3", checks.NeedsModel|checks.NeedsReply), check("text 2", checks.NeedsCompute),
		}
		out := trialOf(t.Context(), conversation(t, nil, nil, global, last), options(1))
		want := []string{"model 1", "text 1", "model 2", "network", "tool", "model 3", "text 2"}
		if diff := cmp.Diff(want, types(out.Conversation)); diff != "" || out.Status != result.Passed {
			t.Errorf("%s: verdicts (-want +got):\n%s", out.Status, diff)
		}
		if order := strings.Join(ran, ""); order != "tttnmmm" { // both texts, the tool, then what is outside
			t.Errorf("ran in the order %s", order)
		}
	})
}

func TestEachJudgeSeesASubjectOfItsOwn(t *testing.T) {
	t.Parallel()
	var list []scenario.Placed
	for range 12 {
		list = append(list, assertion("judge", checks.NeedsModel, func(_ context.Context, s *checks.Subject) (checks.Finding, error) {
			if s.Output() != "ok" || s.Lower() != "ok" || s.Conversation().Output() != "ok" { // fills caches, for the race detector
				return checks.Finding{}, nil
			}
			return checks.Finding{Score: 1}, nil
		}))
	}
	out := trialOf(t.Context(), conversation(t, list, list, nil, list), options(1))
	if out.Status != result.Passed {
		t.Errorf("%s", out.Status)
	}
}

func TestJudgeGate(t *testing.T) {
	t.Parallel()
	judge := assertion("judge", checks.NeedsModel, scores(1))
	tolerated := assertion("flaky", 0, scores(0))
	tolerated.Compiled.(*checks.Compiled).Terms = &checks.Terms{PassThreshold: new(0.5)}
	strict := assertion("strict", 0, scores(0))
	strict.Compiled.(*checks.Compiled).Terms = &checks.Terms{PassThreshold: new(1.0)}
	for _, c := range []struct {
		name                      string
		first, global             []scenario.Placed
		flag, scenario            *bool
		defaults                  bool
		firstJudge, second, final string // why the judge did not run; "" when it did
	}{
		{name: "off", first: []scenario.Placed{assertion("text", 0, scores(0))}},
		{name: "all well", first: []scenario.Placed{assertion("text", 0, scores(1))}, defaults: true},
		{name: "failed", first: []scenario.Placed{assertion("text", 0, scores(0.5)), assertion("more", 0, scores(0))}, defaults: true,
			firstJudge: "judge_gate: text failed in turn 1", second: "judge_gate: text failed in turn 1",
			final: "judge_gate: text failed in turn 1"},
		{name: "broken", first: []scenario.Placed{assertion("rest", checks.NeedsNetwork, breaks)}, defaults: true,
			firstJudge: "judge_gate: rest had an error in turn 1", second: "judge_gate: rest had an error in turn 1",
			final: "judge_gate: rest had an error in turn 1"},
		{name: "at the end", global: []scenario.Placed{assertion("text", 0, scores(0))}, defaults: true,
			final: "judge_gate: text failed"},
		{name: "a judge shuts nothing", first: []scenario.Placed{assertion("other", checks.NeedsModel, scores(0))}, defaults: true},
		{name: "what may fail shuts nothing", first: []scenario.Placed{tolerated}, defaults: true},
		{name: "what may not does", first: []scenario.Placed{strict}, scenario: new(true),
			firstJudge: "judge_gate: strict failed in turn 1", second: "judge_gate: strict failed in turn 1",
			final: "judge_gate: strict failed in turn 1"},
		{name: "the scenario wins over the defaults", first: []scenario.Placed{strict}, scenario: new(false), defaults: true},
		{name: "the command line wins over both", first: []scenario.Placed{strict}, scenario: new(true), flag: new(false)},
		{name: "the command line alone", global: []scenario.Placed{strict}, flag: new(true), final: "judge_gate: strict failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			plan := conversation(t, append([]scenario.Placed{judge}, c.first...), []scenario.Placed{judge}, c.global,
				[]scenario.Placed{judge})
			plan.spans[0].Scenario.JudgeGate = c.scenario
			plan.spans[0].Project.Defaults.JudgeGate = c.defaults
			opts := options(1)
			opts.JudgeGate = c.flag
			out := trialOf(t.Context(), plan, opts)
			got := []result.Verdict{out.Turns[0].Assertions[0], out.Turns[1].Assertions[0], out.Conversation[len(c.global)]}
			for i, want := range []string{c.firstJudge, c.second, c.final} {
				v := got[i]
				if v.SkipReason != want || v.Skipped != (want != "") || (v.Status == result.Skipped) != (want != "") {
					t.Errorf("judge %d: %s, %q; want %q", i+1, v.Status, v.SkipReason, want)
				}
			}
		})
	}
}

func TestNoJudgeAfterAStop(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	list := []scenario.Placed{
		assertion("asked", checks.NeedsModel, scores(1)),
		assertion("text", 0, func(context.Context, *checks.Subject) (checks.Finding, error) {
			stop(Stop())
			return checks.Finding{Score: 1}, nil
		}),
		assertion("more", 0, scores(1)),
	}
	out := trialOf(ctx, conversation(t, nil, nil, nil, list), options(1))
	var got []result.Status
	for _, v := range out.Conversation {
		got = append(got, v.Status)
	}
	want := []result.Status{result.Cancelled, result.Passed, result.Passed}
	if diff := cmp.Diff(want, got); diff != "" || out.Status != result.Cancelled {
		t.Errorf("%s (-want +got):\n%s", out.Status, diff)
	}
	if got := out.Conversation[0].SkipReason; got != "not evaluated: the run was stopped" {
		t.Errorf("reason %q", got)
	}
}

// TestJudgeIsInterrupted ends the context while a judge is asked, for several reasons.
func TestJudgeIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		cause  error
		status result.Status
		err    string
		skip   string
	}{
		{"by the user", Stop(), result.Cancelled, "", "not evaluated: the run was stopped"},
		{"by --fail-fast", tooManyFailures(1), result.Cancelled, "",
			"not evaluated: an earlier trial failed and --fail-fast is set"},
		{"by whoever asked for it", StopFor("an earlier trial failed"), result.Cancelled, "",
			"not evaluated: an earlier trial failed"},
		{"by the time", timeoutError{time.Minute, "run_timeout"}, result.Errored,
			"timeout: the conversation took longer than 1m0s (run_timeout)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, end := context.WithCancelCause(t.Context())
			defer end(nil)
			list := []scenario.Placed{assertion("judge", checks.NeedsModel,
				func(ctx context.Context, _ *checks.Subject) (checks.Finding, error) {
					end(c.cause)
					<-ctx.Done()
					return checks.Finding{}, context.Cause(ctx)
				})}
			out := trialOf(ctx, conversation(t, nil, nil, nil, list), options(1))
			v := out.Conversation[0]
			if v.Status != c.status || out.Status != c.status || v.Error != c.err || v.SkipReason != c.skip {
				t.Errorf("%s in a trial %s, error %q, reason %q", v.Status, out.Status, v.Error, v.SkipReason)
			}
		})
	}
}

// TestJudgesTakeTheirOwnTime: the minute of a slow judge is not part of the conversation.
func TestJudgesTakeTheirOwnTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var elapsed []float64
		list := []scenario.Placed{
			assertion("clock", 0, func(_ context.Context, s *checks.Subject) (checks.Finding, error) {
				elapsed = append(elapsed, *s.ElapsedMS)
				return checks.Finding{Score: 1}, nil
			}),
			assertion("judge", checks.NeedsModel, func(context.Context, *checks.Subject) (checks.Finding, error) {
				<-time.After(time.Minute) // of the bubble's time
				return checks.Finding{Score: 1}, nil
			}),
		}
		plan := conversation(t, list, list, nil, list)
		plan.spans[0].Endpoint.Simulated = false
		out := trialOf(t.Context(), plan, options(1))
		if diff := cmp.Diff([]float64{0, 0, 0}, elapsed); diff != "" {
			t.Errorf("elapsed (-want +got):\n%s", diff)
		}
		if out.DurationMS != 180_000 || out.Turns[0].Assertions[1].DurationMS != 60_000 {
			t.Errorf("the trial took %v ms, a judge %v", out.DurationMS, out.Turns[0].Assertions[1].DurationMS)
		}
	})
}

func TestStages(t *testing.T) {
	t.Parallel()
	want := map[checks.Needs]stage{
		0: inProcess, checks.NeedsReply | checks.NeedsCompute: inProcess, checks.NeedsTool: viaTools,
		checks.NeedsTool | checks.NeedsNetwork: viaTools, checks.NeedsProcess: external, checks.NeedsNetwork: external,
		checks.NeedsEmbedding: external, checks.NeedsModel: byModel, checks.NeedsModel | checks.NeedsTool: byModel,
	}
	for needs, stage := range want {
		if got := stageOf(needs); got != stage {
			t.Errorf("%v: stage %d, want %d", slices.Sorted(slices.Values(needs.Groups())), got, stage)
		}
	}
}
