package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// fakeDispatcher is an EvalDispatcher with fixed results.
type fakeDispatcher struct {
	sent    []string
	refuses error
	answers map[string]result.EvalResult // by id; nil: the run does not wait
	late    error
}

func (a *fakeDispatcher) Send(_ context.Context, h *EvalRequest) error {
	a.sent = append(a.sent, fmt.Sprintf("%s %d %v of %d messages", h.Session, h.Turn, h.Evals, len(h.Messages)))
	return a.refuses
}

func (a *fakeDispatcher) Await(_ context.Context, h *EvalRequest) (list []result.EvalResult, awaits bool, err error) {
	for _, id := range h.Evals {
		if r, ok := a.answers[id]; ok {
			r.ID = id
			list = append(list, r)
		}
	}
	return list, a.answers != nil, a.late
}

func dispatchedTrial(t *testing.T, a *fakeDispatcher) *result.Trial {
	t.Helper()
	plan := measured(t, []*scenario.Eval{
		custom("turn", "every_turn", 0, breaks), gating(custom("gate", "on_session_complete", 0, breaks), 0.5),
		custom("end", "on_conversation_complete", 0, breaks),
	})
	opts := options(1)
	opts.Dispatcher = a
	return trialOf(t.Context(), plan, opts)
}

// TestEvalsAreDispatched: the evals of each moment are sent once, and none runs in the process.
func TestEvalsAreDispatched(t *testing.T) {
	t.Parallel()
	a := &fakeDispatcher{}
	trial := dispatchedTrial(t, a)
	want := []string{
		trial.ID + " 0 [turn] of 2 messages", trial.ID + " 1 [turn] of 4 messages",
		trial.ID + " -1 [gate end] of 4 messages",
	}
	if diff := cmp.Diff(want, a.sent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if trial.Status != result.Passed || trial.EvalsDispatched != 4 || len(trial.Evals) != 0 {
		t.Errorf("%s %d %v", trial.Status, trial.EvalsDispatched, evalLines(trial))
	}
	trial = dispatchedTrial(t, &fakeDispatcher{refuses: errors.New("no broker")})
	if trial.Status != result.Errored || trial.EvalsDispatched != 0 ||
		trial.Error != "the evals of turn 1 could not be dispatched: no broker" {
		t.Errorf("%s %d %s", trial.Status, trial.EvalsDispatched, trial.Error)
	}
}

// TestEvalResultsAreAwaited: results are compared with the project's own thresholds, and an invalid one never passes.
func TestEvalResultsAreAwaited(t *testing.T) {
	t.Parallel()
	score := func(f float64) result.EvalResult { return result.EvalResult{Score: &f} }
	liar := score(0.4)
	liar.Status, liar.MinScore = result.Passed, new(0.1)
	const nothing = "the worker's result has no score from 0 to 1"
	for _, c := range []struct {
		name string
		away fakeDispatcher
		gate string
		want result.Status
		err  string
	}{
		{"met", fakeDispatcher{answers: map[string]result.EvalResult{"gate": score(0.5)}}, "-1 gate 0.5 passed", result.Passed, ""},
		{"missed", fakeDispatcher{answers: map[string]result.EvalResult{"gate": liar}}, "-1 gate 0.4 failed", result.Failed, ""},
		{"error", fakeDispatcher{answers: map[string]result.EvalResult{"gate": {Error: "down"}}}, "-1 gate error error: down",
			result.Errored, ""},
		{"nothing", fakeDispatcher{answers: map[string]result.EvalResult{"gate": {}}}, "-1 gate error error: " + nothing,
			result.Errored, ""},
		{"no number", fakeDispatcher{answers: map[string]result.EvalResult{"gate": score(math.NaN())}},
			"-1 gate error error: " + nothing, result.Errored, ""},
		{"too much", fakeDispatcher{answers: map[string]result.EvalResult{"gate": score(7)}},
			"-1 gate error error: " + nothing, result.Errored, ""},
		{"missing", fakeDispatcher{answers: map[string]result.EvalResult{}}, "-1 gate error error: one of them has no result",
			result.Errored, "the evals of the conversation were not measured: one of them has no result"},
		{"late", fakeDispatcher{answers: map[string]result.EvalResult{}, late: errors.New("late")}, "-1 gate error error: late",
			result.Errored, "the evals of turn 1 were not measured: late"},
	} {
		if c.name != "missing" && c.name != "late" {
			c.away.answers["turn"], c.away.answers["end"] = score(1), result.EvalResult{Skipped: true, SkipReason: "why"}
		} else if c.name == "missing" {
			c.away.answers["turn"], c.away.answers["end"] = score(1), score(1)
		}
		trial := dispatchedTrial(t, &c.away)
		list := evalLines(trial)
		if len(list) != 4 || list[2] != c.gate || trial.Status != c.want || trial.Error != c.err {
			t.Errorf("%s: %s %q, want %s %q %q\n%q", c.name, trial.Status, trial.Error, c.want, c.err, c.gate, list)
		}
	}
}

// TestNotDispatched: evals that workers cannot run are refused.
func TestNotDispatched(t *testing.T) {
	t.Parallel()
	list := defined(t, `
		{id: gate, type: contains, trigger: every_turn, params: {patterns: [ok]}, threshold: {passed: true}}
		{id: look, type: guardrail_triggered, trigger: every_turn, params: {guardrail: gate}}
	`)
	s := &scenario.Scenario{Meta: scenario.Meta{ID: "s"}}
	p := &scenario.Project{Scenarios: []*scenario.Scenario{s}, PackEvals: list}
	for mode, want := range map[DispatchMode]int{InProcess: 0, DispatchAwait: 1, Dispatched: 2} {
		var d diag.List
		mode.report(p, p.Scenarios, &d)
		if d.Errors() != want {
			t.Errorf("%d: %v", mode, d.Sorted())
		}
	}
	list = append(list, defined(t, `
		{id: own, type: levenshtein, trigger: every_turn, params: {reference: ok, max_distance: 1}, threshold: {passed: true}}
	`)...)
	p.PackEvals = list[2:]
	for mode, want := range map[DispatchMode]int{InProcess: 0, DispatchAwait: 1, Dispatched: 1} {
		var d diag.List
		mode.report(p, p.Scenarios, &d)
		if d.Errors() != want {
			t.Errorf("%d: %v", mode, d.Sorted())
		}
	}
	looks := assertion("look", 0, scores(1))
	looks.Compiled = list[1].Compiled.(*checks.Compiled)
	s.Conversation, p.PackEvals = []scenario.Placed{looks}, list[:1]
	var d diag.List
	DispatchAwait.report(p, p.Scenarios, &d)
	if d.Errors() != 1 {
		t.Error(d.Sorted())
	}
}
