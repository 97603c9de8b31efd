package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBracesWhereverSomethingIsSaid: braces that probably are a placeholder are found in all messages, also in literal
// ones.
func TestBracesWhereverSomethingIsSaid(t *testing.T) {
	t.Parallel()
	for place, write := range map[string]func(files map[string]string, text string){
		"system prompt": func(f map[string]string, text string) {
			f["p.yaml"] += "  system_template: \"Sell {{order}} " + text + "\"\n"
		},
		"user turn": func(f map[string]string, text string) {
			f["s.yaml"] += "turns: [{role: user, content: \"{{order}} " + text + "\"}]\n"
		},
		"part": func(f map[string]string, text string) {
			f["s.yaml"] += "turns: [{role: user, parts: [{type: text, text: \"{{order}} " + text + "\"}]}]\n"
		},
		"description": func(f map[string]string, text string) { f["s.yaml"] += "description: \"{{order}} " + text + "\"\n" },
		"failure": func(f map[string]string, text string) {
			f["s.yaml"] += "turns: [{role: user, content: hi, chaos: {tool_failures: [{tool: get, mode: error, message: \"" + text + "\"}]}}]\n"
		},
		"mock reply": func(f map[string]string, text string) {
			f["m.yaml"] = "scenarios: {s: {turns: {1: \"" + text + "\"}}}\n"
		},
		"reply of a turn": func(f map[string]string, text string) {
			f["s.yaml"] += "turns: [{role: user, content: hi, mock: \"" + text + "\"}]\n"
		},
		"tool result": func(f map[string]string, text string) { f["t.yaml"] += "  mock_result: {a: [\"" + text + "\"]}\n" },
	} {
		for text, want := range map[string]string{
			"{order}}": "error", "{{order ": "error", "{{order}": "error", "${order}": "error", "{order}": "warning", "${foo}": "warning",
			"a {name}": "", "{{order}}": "", "${HOME}": "warning", "{HOME}": "",
		} {
			switch place {
			case "mock reply", "reply of a turn", "tool result": // no templates
				want = map[string]string{"{{order}}": "warning"}[text]
			}
			files := map[string]string{
				"config.arena.yaml": "kind: Arena\nmetadata: {name: p}\nspec:\n  prompt_configs: [{id: p, file: p.yaml, vars: {order: A1}}]\n" +
					"  providers: [{file: q.yaml}]\n  scenarios: [{file: s.yaml}]\n  tools: [{file: t.yaml}]\n",
				"p.yaml": "kind: PromptConfig\nmetadata: {name: p}\nspec:\n  task_type: p\n  allowed_tools: [get]\n",
				"q.yaml": "kind: Provider\nmetadata: {name: q}\nspec: {type: mock, model: m, additional_config: {mock_config: m.yaml}}\n",
				"s.yaml": "id: s\ntask_type: p\n", "m.yaml": "defaultResponse: x\n",
				"t.yaml": "kind: Tool\nmetadata: {name: get}\nspec:\n  description: gets\n  mode: mock\n" +
					"  input_schema: {type: object, properties: {order: {type: string}}}\n  output_schema: {type: object}\n",
			}
			write(files, text)
			if !strings.Contains(files["p.yaml"], "system_template") {
				files["p.yaml"] += "  system_template: \"Sell {{order}}\"\n"
			}
			if !strings.Contains(files["s.yaml"], "turns") {
				files["s.yaml"] += "turns: [{role: user, content: hi}]\n"
			}
			dir := t.TempDir()
			for name, content := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, problems := Load(Options{Dir: dir, Paths: []string{filepath.Join(dir, "config.arena.yaml")}})
			got := ""
			for _, p := range problems.Sorted() {
				if p.Code == "foreign-template" {
					got = p.Severity.String()
				}
			}
			if got != want {
				t.Errorf("%s: %s: got %q, want %q: %v", place, text, got, want, problems.Sorted())
			}
		}
	}
}
