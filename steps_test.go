package arena_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
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
		{ID: "kind", Kind: "prompt", Attempts: 1, Output: map[string]any{"of": "money"}},
		{ID: "answer", Kind: "prompt", Attempts: 1, Output: "Paid."},
	}
	if diff := cmp.Diff(want, res.Trials[0].Turns[0].Steps); diff != "" {
		t.Errorf("the turn has (-want +got):\n%s", diff)
	}
}
