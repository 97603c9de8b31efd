package arena_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena"
)

// stepWatch notes the steps for which models are called.
type stepWatch struct{ seen []string }

func (*stepWatch) Name() string { return "steps" }

func (w *stepWatch) BeforeCall(_ context.Context, r *arena.Request) error {
	w.seen = append(w.seen, r.Origin.Step)
	return nil
}

func (*stepWatch) AfterCall(context.Context, *arena.Request, *arena.Reply) error { return nil }

const composed = `kind: Arena
metadata: {name: composed}
spec:
  prompt_specs:
    say: {task_type: say, version: v1.0.0, description: d, system_template: Say it.}
  workflow: {version: 2, entry: desk, states: {desk: {orchestration: composition, composition: two, terminal: true}}}
  compositions:
    two:
      version: 1
      steps:
        - {id: kind, kind: prompt, prompt_task: say, output_schema: {type: object}}
        - {id: answer, kind: prompt, prompt_task: say, input: "${kind.output.of}"}
  pack_evals:
    - {id: whole, type: composition_step_output, trigger: every_turn, params: {step: answer, contains: Paid}, threshold: {min_score: 1}}
  scenario_specs:
    s:
      description: d
      turns: [{role: user, content: hi, assertions: [{type: saw_steps}]}]
  provider_specs:
    m: {type: mock, model: m, additional_config: {mock_config: mock.yaml}}
`

// TestStepsOfCompositions: hooks, checks and results tell of the steps that answered.
func TestStepsOfCompositions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"config.arena.yaml": composed,
		"mock.yaml":         "scenarios: {s: {steps: {kind: '{\"of\": \"money\"}', answer: Paid.}}}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var outputs map[string]string
	var registry arena.Registry
	err := arena.Register(&registry, arena.CheckInfo{Name: "saw_steps", Summary: "Looks at steps."},
		func(struct{}) (arena.Check, error) {
			return arena.CheckFunc(func(_ context.Context, s *arena.Subject) (arena.Finding, error) {
				outputs = s.Steps
				return arena.Pass(""), nil
			}), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	watch := &stepWatch{}
	res, err := arena.Run(t.Context(), arena.Options{
		Config: filepath.Join(dir, "config.arena.yaml"), Checks: &registry, Hooks: []arena.ProviderHook{watch},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(watch.seen, []string{"kind", "answer"}) {
		t.Errorf("hooks saw %q", watch.seen)
	}
	if diff := cmp.Diff(map[string]string{"kind": `{"of":"money"}`, "answer": "Paid."}, outputs); diff != "" {
		t.Errorf("a check saw (-want +got):\n%s", diff)
	}
	want := []arena.Step{
		{
			ID: "kind", Kind: "prompt", Attempts: 1, Input: "hi", Output: map[string]any{"of": "money"}, ModelCalls: 1,
		},
		{ID: "answer", Kind: "prompt", Attempts: 1, Input: "money", Output: "Paid.", ModelCalls: 1},
	}
	if diff := cmp.Diff(want, res.Trials[0].Turns[0].Steps); diff != "" {
		t.Errorf("the turn has (-want +got):\n%s", diff)
	}
	composed := res.Trials[0].Turns[0].Composed
	if composed == nil || composed.Name != "two" {
		t.Errorf("the turn was answered by %+v", composed)
	}
	got, err := arena.Evaluate(t.Context(), arena.EvaluatorOptions{
		Config: filepath.Join(dir, "config.arena.yaml"), Checks: &registry,
	}, arena.Conversation{Messages: res.Trials[0].Turns[0].Messages, Steps: map[int]arena.Composed{0: *composed}})
	if err != nil || got.Status != arena.Passed {
		t.Errorf("the turn of the run, evaluated: %+v, %v", got, err)
	}
}

const lookingAtSteps = `kind: Arena
metadata: {name: judged}
spec:
  prompt_specs:
    say: {task_type: say, version: v1.0.0, description: d, system_template: Say it.}
  workflow: {version: 2, entry: desk, states: {desk: {orchestration: composition, composition: two, terminal: true}}}
  tool_specs:
    get: {mode: mock, description: d, input_schema: {type: object}, mock_result: x}
  compositions:
    two:
      version: 1
      steps:
        - {id: look, kind: tool, tool: get, args: {}}
        - {id: which, kind: branch, predicate: {path: "${look.output}", op: equals, value: x}, then: kind, else: answer}
        - {id: kind, kind: prompt, prompt_task: say, modifiers: {eval: [polite]}}
        - {id: answer, kind: prompt, prompt_task: say}
  pack_evals:
    - {id: polite, type: contains, trigger: every_turn, params: {patterns: [please]}, threshold: {min_score: 1}}
    - {id: quick, type: latency_budget, trigger: every_turn, params: {max_ms: 10}}
    - id: said
      type: composition_step_output
      trigger: every_turn
      params: {step: kind, contains: please}
      threshold: {min_score: 1}
    - {id: way, type: composition_branch_taken, trigger: every_turn, params: {branch: which, expected: kind}}
    - {id: tools, type: tools_not_called, trigger: on_session_complete, params: {tools: [get]}}
  provider_specs:
    m: {type: mock, model: m}
`

// stepsTold is a conversation that a composition answered.
func stepsTold() arena.Composed {
	return arena.Composed{Name: "two", Steps: []arena.Step{
		{ID: "look", Kind: "tool", Attempts: 1, Output: "x", Tools: []arena.ToolUse{{Name: "get", Result: "x"}}},
		{ID: "which", Kind: "branch", Attempts: 1, Target: "kind"},
		{ID: "kind", Kind: "prompt", Attempts: 1, Input: "hi", Output: "Wait, please."},
		{ID: "answer", Kind: "prompt"},
	}}
}

// evalSteps evaluates a conversation of one turn that steps answered.
func evalSteps(t *testing.T, steps map[int]arena.Composed) (*arena.Evaluation, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.arena.yaml")
	if err := os.WriteFile(file, []byte(lookingAtSteps), 0o600); err != nil {
		t.Fatal(err)
	}
	return arena.Evaluate(t.Context(), arena.EvaluatorOptions{Paths: []string{file}},
		arena.Conversation{Steps: steps, Messages: []arena.Message{
			{Role: arena.User, Text: "hi"}, {Role: arena.Assistant, Text: "Wait, please."},
		}})
}

// TestEvaluateSteps: evals see the steps that a program tells of, and nothing where it tells of none. What the program
// does not know of a step, such as how long it took, is not known.
func TestEvaluateSteps(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		steps map[int]arena.Composed
		want  []string
	}{
		{"told", map[int]arena.Composed{0: stepsTold()},
			[]string{
				"polite 0 1 passed", "polite 0 1 passed", "quick 0 none error", "said 0 1 passed", "way 0 1", "tools -1 0",
			}},
		{"not told", nil, []string{
			"polite 0 1 passed", "quick 0 none error", "said 0 none error", "way 0 none error", "tools -1 1",
		}},
	} {
		got, err := evalSteps(t, tc.steps)
		if err != nil {
			t.Fatal(tc.name, err)
		}
		if diff := cmp.Diff(tc.want, measured(got.Evals)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// TestEvaluateImpossibleSteps: steps that cannot have run so are errors, and nothing is measured.
func TestEvaluateImpossibleSteps(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(c *arena.Composed){
		"there is none":                        func(c *arena.Composed) { c.Steps = nil },
		"it has no ID":                         func(c *arena.Composed) { c.Steps[0].ID = "" },
		"there are two of that ID":             func(c *arena.Composed) { c.Steps[1].ID = "look" },
		`there is no kind "Tool"`:              func(c *arena.Composed) { c.Steps[0].Kind = "Tool" },
		"which is no parallel step here":       func(c *arena.Composed) { c.Steps[0].Within = "kind" },
		"below 0":                              func(c *arena.Composed) { c.Steps[0].Attempts = -1 },
		"with Attempts 0 was skipped":          func(c *arena.Composed) { c.Steps[2].Attempts = 0 },
		"and has no Output":                    func(c *arena.Composed) { c.Steps[2].Output = nil },
		"only a branch has a Target":           func(c *arena.Composed) { c.Steps[2].Target = "look" },
		"a branch has a Target, and no Output": func(c *arena.Composed) { c.Steps[1].Output = "kind" },
		`its Target "knd" is no step here`:     func(c *arena.Composed) { c.Steps[1].Target = "knd" },
		"cannot be written as JSON":            func(c *arena.Composed) { c.Steps[0].Output = make(chan int) },
		"the arguments of get cannot":          func(c *arena.Composed) { c.Steps[0].Tools[0].Args = map[string]any{"a": make(chan int)} },
		`answered by "three"`:                  func(c *arena.Composed) { c.Name = "three" },
		`did not have the step "answer"`:       func(c *arena.Composed) { c.Steps = c.Steps[:3] },
	} {
		told := stepsTold()
		change(&told)
		_, err := evalSteps(t, map[int]arena.Composed{0: told})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	_, err := evalSteps(t, map[int]arena.Composed{1: stepsTold()})
	if err == nil || err.Error() != "arena: steps of turn 1, counted from 0: the conversation has 1" {
		t.Error(err)
	}
}
