package runner

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// defined parses evals, one a line.
func defined(t *testing.T, lines string) []*scenario.Eval {
	t.Helper()
	var compiler checks.Compiler
	var list []*scenario.Eval
	for line := range strings.Lines(lines) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var problems diag.List
		compile := func(c *scenario.Check, d *diag.List) { c.Compiled = compiler.Compile(c, d) }
		read := scenario.ReadEvals("pack.yaml", []byte("["+strings.TrimSpace(line)+"]"), compile, &problems)
		if len(read) != 1 || problems.Errors() > 0 {
			t.Fatalf("%s: %v", line, problems.Sorted())
		}
		list = append(list, read...)
	}
	return list
}

// custom is an eval whose check is a function.
func custom(id, trigger string, needs checks.Needs, f eval) *scenario.Eval {
	e := &scenario.Eval{ID: id, Trigger: trigger, Enabled: true, Metric: result.DefaultMetric(id, diag.Pos{})}
	e.Compiled = assertion(id, needs, f).Compiled
	return e
}

func gating(e *scenario.Eval, least float64) *scenario.Eval {
	check := *e.Compiled.(*checks.Compiled)
	check.Terms = &checks.Terms{MinScore: &least}
	e.Compiled = &check
	return e
}

// measured is a plan of one trial with two turns and these evals.
func measured(t *testing.T, list []*scenario.Eval) *Plan {
	t.Helper()
	plan := conversation(t, nil, nil, nil, nil)
	plan.spans[0].Project.stances = map[*scenario.Prompt]*stance{nil: {evals: evals.New(list)}}
	return plan
}

// evalLines formats eval results, a line each.
func evalLines(trial *result.Trial) (all []string) {
	for i := range trial.Evals {
		e := &trial.Evals[i]
		text := fmt.Sprintf("%d %s", e.Turn, e.ID)
		if e.Score != nil {
			text += fmt.Sprintf(" %g", *e.Score)
		}
		if e.Status != result.Unset {
			text += " " + e.Status.String()
		}
		if e.Skipped {
			text += " skipped: " + e.SkipReason
		}
		if e.Error != "" {
			text += " error: " + e.Error
		}
		all = append(all, text)
	}
	return all
}

func TestEvals(t *testing.T) {
	t.Parallel()
	plan := measured(t, append(defined(t, `
		{id: look, type: guardrail_triggered, trigger: every_turn, params: {guardrail: later}}
		{id: later, type: contains, trigger: every_turn, params: {patterns: [no]}}
		{id: again, type: guardrail_triggered, trigger: every_turn, params: {guardrail: later}}
		{id: sampled, type: contains, trigger: sample_turns, params: {patterns: [ok]}, sample_percentage: 100}
		{id: unsampled, type: contains, trigger: sample_turns, params: {patterns: [ok]}, sample_percentage: 0}
		{id: off, type: contains, trigger: every_turn, params: {patterns: [ok]}, enabled: false}
		{id: step, type: contains, trigger: on_workflow_step, params: {patterns: [ok]}}
		{id: called, type: contains, trigger: every_turn, params: {patterns: [ok]}, when: {any_tool_called: true}}
		{id: end, type: contains, trigger: on_conversation_complete, params: {patterns: [ok]}, threshold: {passed: true}}
		{id: session, type: contains, trigger: on_session_complete, params: {patterns: [no, ok]}}
	`), custom("sick", "on_session_complete", 0, breaks)))
	trial := trialOf(t.Context(), plan, options(1))
	want := []string{
		"0 look 1", "0 later 0", "0 again 1", "0 sampled 1", "0 called skipped: no tool was called",
		"1 look 1", "1 later 0", "1 again 1", "1 sampled 1", "1 called skipped: no tool was called",
		"-1 session 0.5", "-1 sick error: down", "-1 end 1 passed",
	}
	if diff := cmp.Diff(want, evalLines(trial)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if trial.Status != result.Passed { // an eval without a threshold decides nothing
		t.Errorf("%s", trial.Status)
	}
	if m := trial.Evals[0].Metric; m == nil || m.Name != "look" || trial.Evals[0].Position.File != "pack.yaml" {
		t.Errorf("%+v", trial.Evals[0])
	}
}

// TestThresholdsDecide: below the threshold a trial fails; an eval that cannot judge is an error.
func TestThresholdsDecide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		evals []*scenario.Eval
		want  result.Status
		told  string
	}{
		{"missed", []*scenario.Eval{gating(custom("a", "on_session_complete", 0, scores(0.4)), 0.5)}, result.Failed,
			"-1 a 0.4 failed"},
		{"met", []*scenario.Eval{gating(custom("a", "on_session_complete", 0, scores(0.5)), 0.5)}, result.Passed,
			"-1 a 0.5 passed"},
		{"not judged", []*scenario.Eval{gating(custom("a", "on_session_complete", 0, breaks), 0.5)}, result.Errored,
			"-1 a error error: down"},
		{"none", []*scenario.Eval{custom("a", "on_session_complete", 0, scores(0))}, result.Passed, "-1 a 0"},
	} {
		trial := trialOf(t.Context(), measured(t, c.evals), options(1))
		if got := strings.Join(evalLines(trial), "\n"); trial.Status != c.want || got != c.told {
			t.Errorf("%s: %s, want %s\n%s", c.name, trial.Status, c.want, got)
		}
	}
}

// TestEvalsRunAtOnce has the models of a phase wait for each other, which hangs unless they run concurrently. Evals
// that look back run after them, and before the assertions.
func TestEvalsRunAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var together sync.WaitGroup
		together.Add(2)
		model := func(id string) *scenario.Eval {
			wait := func(context.Context, *checks.Subject) (checks.Finding, error) {
				together.Done()
				together.Wait()
				return checks.Finding{Details: map[string]any{"metric_value": 7}}, nil
			}
			return custom(id, "on_session_complete", checks.NeedsModel, wait)
		}
		look := defined(t, `{id: look, type: guardrail_triggered, trigger: on_session_complete, params: {guardrail: b}}`)
		plan := measured(t, []*scenario.Eval{model("a"), model("b"), look[0]})
		var seen []checks.EvalResult
		plan.spans[0].Scenario.Conversation = []scenario.Placed{
			assertion("sees", 0, func(_ context.Context, s *checks.Subject) (checks.Finding, error) {
				seen = s.Earlier
				return checks.Finding{Score: 1}, nil
			}),
		}
		trial := trialOf(t.Context(), plan, options(1))
		if diff := cmp.Diff([]string{"-1 a 0", "-1 b 0", "-1 look 1"}, evalLines(trial)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		want := []checks.EvalResult{
			{ID: "a", Type: "a", Turn: -1}, {ID: "b", Type: "b", Turn: -1},
			{ID: "look", Type: "guardrail_triggered", Turn: -1, Score: 1},
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if v := trial.Evals[0].MetricValue; v == nil || *v != 7 {
			t.Errorf("%v", v)
		}
	})
}

// TestEvalsAfterSteps: they run once for every step of the workflow in the turn.
func TestEvalsAfterSteps(t *testing.T) {
	t.Parallel()
	plan := measured(t, []*scenario.Eval{
		custom("step", "on_workflow_step", 0, scores(1)), custom("turn", "every_turn", 0, scores(1)),
	})
	opts := options(1)
	s := newSession(plan.Trial(0), &opts, nil)
	for turn, steps := range [][]checks.Transition{{{Turn: 0}}, {{Turn: 0}}, {{Turn: 0}, {Turn: 2}, {Turn: 2}}} {
		s.evalTurn(t.Context(), &checks.Subject{Turn: turn, Workflow: &checks.Workflow{Transitions: steps}})
	}
	want := []string{"0 turn 1", "0 step 1", "1 turn 1", "2 turn 1", "2 step 1", "2 step 1"}
	if diff := cmp.Diff(want, evalLines(s.out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEvalsOfAStoppedRun: an eval that did not run has not failed.
func TestEvalsOfAStoppedRun(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	plan := measured(t, []*scenario.Eval{
		custom("stops", "every_turn", 0, func(context.Context, *checks.Subject) (checks.Finding, error) {
			stop(Stop())
			return checks.Finding{Score: 1}, nil
		}),
		custom("model", "every_turn", checks.NeedsModel, scores(1)),
		gating(custom("gate", "every_turn", checks.NeedsModel, scores(1)), 1),
		custom("end", "on_session_complete", 0, scores(1)),
	})
	trial := trialOf(ctx, plan, options(1))
	want := []string{
		"0 stops 1", "0 model skipped: not evaluated: the run was stopped",
		"0 gate cancelled skipped: not evaluated: the run was stopped",
	}
	if diff := cmp.Diff(want, evalLines(trial)[:3]); diff != "" || trial.Status != result.Cancelled { // of the first turn
		t.Errorf("%s (-want +got):\n%s", trial.Status, diff)
	}
}

// TestEvalsShutNoGate: judge_gate looks only at assertions.
func TestEvalsShutNoGate(t *testing.T) {
	t.Parallel()
	plan := measured(t, []*scenario.Eval{gating(custom("low", "every_turn", 0, scores(0)), 1)})
	plan.spans[0].Scenario.JudgeGate = new(true)
	plan.spans[0].Scenario.Conversation = []scenario.Placed{assertion("judge", checks.NeedsModel, scores(1))}
	trial := trialOf(t.Context(), plan, options(1))
	if got := trial.Conversation[0].Status; got != result.Passed {
		t.Errorf("%s: %s", got, trial.Conversation[0].SkipReason)
	}
}

func TestPlanOfEvals(t *testing.T) {
	t.Parallel()
	list := defined(t, `
		{id: a, type: contains, trigger: every_turn, params: {patterns: [ok]}}
		{id: b, type: contains, trigger: every_turn, params: {patterns: [ok]}, enabled: false}
		{id: c, type: contains, trigger: every_turn, params: {patterns: [ok], min_score: 1}}
	`)
	clerk := &scenario.Prompt{TaskType: "clerk", Evals: defined(t, `
		{id: a, type: regex, trigger: every_turn, params: {pattern: x}}
	`)}
	plain := &scenario.Prompt{TaskType: "plain"}
	p := &scenario.Project{PackEvals: list[:2], ArenaEvals: list[2:], Prompts: []*scenario.Prompt{plain, clerk}}
	bare, asked := &scenario.Scenario{TaskType: "plain"}, &scenario.Scenario{TaskType: "clerk"}
	for _, c := range []struct {
		chosen []*scenario.Scenario
		want   string
	}{
		{[]*scenario.Scenario{bare}, "contains contains"}, {[]*scenario.Scenario{asked}, "regex contains"},
		{[]*scenario.Scenario{asked, bare}, "contains contains regex"}, {nil, ""},
		{[]*scenario.Scenario{{Skip: "broken"}}, ""},
	} {
		var visited []string
		inventory.EachEval(p, c.chosen, func(check *checks.Compiled) { visited = append(visited, check.Type) })
		if got := strings.Join(visited, " "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if diff := cmp.Diff([]string{"b"}, inventory.EvalsOff(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !inventory.HasGate(p, bare) || inventory.HasGate(&scenario.Project{PackEvals: list[:2]}, &scenario.Scenario{}) {
		t.Error("only c has a threshold")
	}
	plan := &Plan{}
	run := &project{Project: p, stances: map[*scenario.Prompt]*stance{}}
	for prompt, set := range inventory.EvalSets(p, []*scenario.Scenario{asked, bare}) {
		run.stances[prompt] = &stance{prompt: prompt, evals: set}
	}
	for _, prompt := range []*scenario.Prompt{clerk, plain, clerk} {
		labelled := &scenario.Scenario{Meta: scenario.Meta{Labels: map[string]string{"tier": "x"}}}
		plan.add(span{Trial: Trial{Project: run, Prompt: prompt, Scenario: labelled}, count: 1})
	}
	var names []string
	for _, m := range plan.EvalMetrics() {
		names = append(names, m.Name)
	}
	if diff := cmp.Diff([]string{"a", "c", "a"}, names); diff != "" { // two definitions of a
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"tier"}, plan.Labels()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
