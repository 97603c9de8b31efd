package arena_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena"
)

// around is the project of the example in docs/compositions.md.
const around = `prompt_specs:
  classify: {task_type: classify, system_template: C}
  help: {task_type: help, system_template: H, allowed_tools: [get_order]}
  goodbye: {task_type: goodbye, system_template: G}
provider_specs: {m: {type: mock, model: m, additional_config: {mock_config: mock.yaml}}}
tool_specs:
  get_order: {description: d, mock_result: {status: sent}, input_schema: {type: object, properties: {id: {type: string}}}}
pack_evals: [{id: is_json, type: json_valid, trigger: every_turn, enabled: true}]
scenario_specs:
  refund:
    turns:
      - role: user
        content: A2
        assertions: [{type: state_is, params: {state: closed}}, {type: composition_output, params: {contains: on its way}}]
`

// TestCompositionsExample runs the example of docs/compositions.md with its mock.
func TestCompositionsExample(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("docs", "compositions.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, part := range strings.Split(strings.ReplaceAll(string(page), "\r\n", "\n"), "```yaml\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	if len(blocks) != 2 {
		t.Fatalf("%d examples: one of a composition and one of its mock are expected", len(blocks))
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"config.arena.yaml": around + blocks[0], "mock.yaml": blocks[1]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	res, err := arena.Run(t.Context(), arena.Options{Config: filepath.Join(dir, "config.arena.yaml"), Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Trials[0]; got.Status != arena.Passed {
		t.Errorf("%s: %s", got.Status, got.Failure())
	}
}
