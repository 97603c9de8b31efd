package scenario_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestWhatToDo: mistakes of newcomers, and the hints of their messages.
func TestWhatToDo(t *testing.T) {
	t.Parallel()
	const mock = "id: m\ntype: mock\nmodel: m\n"
	const turn = "turns: [{role: user, content: hi}]\n"
	const config = "scenarios: [{file: a.yaml}]\nproviders: [{file: m.yaml}]\n"
	for hint, files := range map[string]map[string]string{
		"put it below defaults: defaults: {temperature: …}": {
			"config.arena.yaml": config, "a.yaml": "id: a\n" + turn, "m.yaml": mock + "temperature: 0\n",
		},
		"a server that speaks OpenAI's protocol": {
			"config.arena.yaml": config, "a.yaml": "id: a\n" + turn, "m.yaml": "id: m\ntype: custom\nmodel: m\n",
		},
		"write {name: judge, provider: …}": {
			"config.arena.yaml": config + "judges: [judge]\n", "a.yaml": "id: a\n" + turn, "m.yaml": mock,
		},
		"beside turns": {
			"config.arena.yaml": config, "m.yaml": mock,
			"a.yaml": "id: a\nturns: [{role: user, content: hi, trials: 4}]\n",
		},
		"trials: {pass_rate: 0.8, max: 50}": {
			"config.arena.yaml": config, "a.yaml": "id: a\npass_rate: 0.8\n" + turn, "m.yaml": mock,
		},
		"write what the user says as a turn": {
			"config.arena.yaml": config, "m.yaml": mock, "a.yaml": "id: a\ninput: hi\n" + turn,
		},
		"assertions: [{type: llm_judge": {
			"config.arena.yaml": config, "m.yaml": mock, "a.yaml": "id: a\nmetrics: [faithfulness]\n" + turn,
		},
		"at the level of the scenario": {
			"config.arena.yaml": config, "m.yaml": mock,
			"a.yaml": "id: a\nturns: [{role: user, content: hi, variables: {a: b}}]\n",
		},
		"write prompt_configs: [{id": {
			"config.arena.yaml": config + "prompts: [{file: p.yaml}]\n", "a.yaml": "id: a\n" + turn, "m.yaml": mock,
		},
		"passes is called min_score": {
			"config.arena.yaml": config, "m.yaml": mock,
			"a.yaml": "id: a\nturns: [{role: user, content: hi, assertions: [{type: llm_judge, threshold: 0.7}]}]\n",
		},
		"get.tool.yaml has it, and the config does not list that": {
			"config.arena.yaml": config + "prompt_configs: [{id: p, file: p.yaml}]\ntools: [{file: put.tool.yaml}]\n",
			"a.yaml":            "id: a\n" + turn, "m.yaml": mock,
			"p.yaml":        "id: p\ntask_type: p\nsystem_template: hi\nallowed_tools: [get_order]\n",
			"put.tool.yaml": "name: put_order\ndescription: d\ninput_schema: {type: object}\nmock_result: {a: 1}\n",
			"get.tool.yaml": "name: get_order\ndescription: d\ninput_schema: {type: object}\nmock_result: {a: 1}\n",
		},
		"put it below additional_config": {
			"config.arena.yaml": config, "a.yaml": "id: a\n" + turn, "m.yaml": "id: m\ntype: command\ncommand: [ls]\n",
		},
		"write when: {tool_called: pay}": {
			"config.arena.yaml": config, "m.yaml": mock,
			"a.yaml": "id: a\nturns: [{role: user, content: hi, assertions: [{type: contains, when: pay}]}]\n",
		},
	} {
		_, diags := scenario.Load(scenario.Options{Dir: writeFiles(t, files), Paths: []string{"."}})
		if !slices.ContainsFunc(diags.Sorted(), func(d diag.Diagnostic) bool { return strings.Contains(d.Hint, hint) }) {
			t.Errorf("%s: nobody says that: %v", hint, diags.Sorted())
		}
	}

	dir := writeFiles(t, map[string]string{"config.arena.yaml": strings.Replace(config, "a.yaml", "scenarios/a.yaml", 1)})
	if err := os.MkdirAll(filepath.Join(dir, "scenario"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "scenario", "a.yaml"), []byte("id: a\n"+turn), 0o600); err != nil {
		t.Fatal(err)
	}
	_, diags := scenario.Load(scenario.Options{Dir: dir, Paths: []string{"."}})
	const near = "scenario/a.yaml"
	if !slices.ContainsFunc(diags.Sorted(), func(d diag.Diagnostic) bool { return strings.Contains(d.Hint, near) }) {
		t.Errorf("a file in a folder of another name: %v", diags.Sorted())
	}
}
