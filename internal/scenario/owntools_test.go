package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

// TestNamesOfOwnTools: an unknown tool name with a prefix of arena is refused in every field, with the feature that
// adds such tools.
func TestNamesOfOwnTools(t *testing.T) {
	t.Parallel()
	const features = `  memory: {}
  skills: [{name: tone, description: How to speak., instructions: Be kind.}]
  workflow:
    version: 1
    entry: a
    states:
      a: {prompt_task: p, on_event: {Go: b}}
      b: {prompt_task: p, terminal: true}
`
	const turn = "id: s\nturns:\n  - role: user\n    content: hi\n"
	places := map[string][2]string{ // scenario, prompt
		"chaos":         {turn + "    chaos: {tool_failures: [{tool: NAME, mode: error}]}\n", ""},
		"consent":       {turn + "    consent_overrides: {NAME: deny}\n", ""},
		"tool_choice":   {turn + "tool_policy: {tool_choice: NAME}\n", ""},
		"blocklist":     {turn + "tool_policy: {blocklist: [NAME]}\n", ""},
		"allowed_tools": {turn, "allowed_tools: [look, NAME]\n"},
		"of the prompt": {turn, "tool_policy: {blocklist: [NAME]}\n"},
	}
	names := map[string]string{ // a similar name, and the feature that adds the tool; "": none
		"memory__recall": "memory", "memory__recal": "", "skill__activate": "skills", "skill__activat": "",
		"workflow__transition": "workflow", "workflow__transitoin": "", "workflow__set_artifact": "", "image__generate": "",
		"srv__look": "", "look": "tool", "lok": "",
	}
	for place, files := range places {
		for name, from := range names {
			for _, with := range []bool{false, true} {
				dir := t.TempDir()
				config := "kind: Arena\nmetadata: {name: x}\nspec:\n  scenarios: [{file: s.yaml}]\n  prompt_configs: [{file: p.yaml}]\n" +
					"  tool_specs: {look: {description: d, mode: mock, mock_result: ok, input_schema: {type: object}}}\n"
				if with {
					config += features
				}
				for file, text := range map[string]string{
					"config.arena.yaml": config, "s.yaml": files[0],
					"p.yaml": "task_type: p\nsystem_template: Help.\n" + files[1],
				} {
					text = strings.ReplaceAll(text, "NAME", name)
					if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				_, diags := Load(Options{Config: filepath.Join(dir, "config.arena.yaml")})
				refused := false
				for _, d := range diags.Sorted() {
					refused = refused || d.Code == "unknown-name" && strings.Contains(d.Msg, `there is no tool "`+name+`"`)
				}
				if want := from == "" || from != "tool" && !with; refused != want {
					t.Errorf("%s: %s, with features %v: refused %v, want %v: %v", place, name, with, refused, want, diags.Sorted())
				}
			}
		}
	}
}

// TestOwnToolsTwice: a tool of the project with the name of a tool of arena is refused, because it would never be
// called.
func TestOwnToolsTwice(t *testing.T) {
	t.Parallel()
	const features = `  memory: {}
  skills: [{name: tone, description: How to speak., instructions: Be kind.}]
  prompt_configs: [{file: p.yaml}]
  workflow:
    version: 1
    entry: a
    states:
      a: {prompt_task: p, on_event: {Go: b}, artifacts: {note: {type: text/plain}}}
      b: {prompt_task: p, terminal: true}
`
	load := func(more string) (*Suite, bool) {
		dir := t.TempDir()
		for file, text := range map[string]string{
			"config.arena.yaml": "kind: Arena\nmetadata: {name: x}\nspec:\n  scenarios: [{file: s.yaml}]\n" + more,
			"s.yaml":            "id: s\nturns: [{role: user, content: hi}]\n",
			"p.yaml":            "task_type: p\nsystem_template: Help.\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		suite, diags := Load(Options{Config: filepath.Join(dir, "config.arena.yaml")})
		refused := false
		for _, d := range diags.Sorted() {
			refused = refused || d.Severity == diag.Error && d.Code == "duplicate-id" && d.Pos.Line > 0
		}
		return suite, refused
	}
	suite, _ := load(features)
	names := suite.Projects[0].OwnTools()
	if len(names) < 9 {
		t.Fatalf("not all features: %v", names)
	}
	for _, name := range append(names, "look") {
		tool := "  tool_specs: {" + name + ": {description: d, mode: mock, mock_result: ok, input_schema: {type: object}}}\n"
		if _, refused := load(tool); refused {
			t.Errorf("%s is refused where nothing brings it", name)
		}
		if _, refused := load(features + tool); refused != (name != "look") {
			t.Errorf("%s beside those of arena: refused %v", name, refused)
		}
	}
}
