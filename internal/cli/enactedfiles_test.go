package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// write returns the files of the project, by name. JSON is YAML, too.
func (v *enacted) write() map[string]any {
	v.at(0)
	var turns []any
	for i, t := range v.turns {
		turn := map[string]any{"role": "user", "content": fmt.Sprintf("Turn %d.", i+1)}
		if v.config["compositions"] == nil {
			turn["mock"] = v.rounds(t)
		}
		turns = append(turns, turn)
	}
	check := map[string]any{"type": v.Type, "params": v.Params}
	talk := map[string]any{"id": "talk", "turns": turns}
	if v.Scope == "session" {
		talk["conversation_assertions"] = []any{check}
	} else {
		turns[len(turns)-1].(map[string]any)["assertions"] = []any{check}
	}
	files := map[string]any{
		"talk.yaml":    talk,
		"replies.yaml": map[string]any{"scenarios": map[string]any{"talk": map[string]any{"steps": v.steps}}},
	}
	mock := map[string]any{"type": "mock", "model": "m"}
	if len(v.steps) > 0 {
		mock["additional_config"] = map[string]any{"mock_config": "replies.yaml"}
	} else {
		delete(files, "replies.yaml")
	}
	var tools []any
	names := slices.AppendSeq([]string{}, maps.Keys(v.tools))
	slices.Sort(names)
	for _, name := range names {
		files[name+".tool.yaml"] = map[string]any{
			"name": name, "description": name, "mode": "mock", "mock_result": map[string]any{}, "input_schema": map[string]any{},
		}
		tools = append(tools, map[string]any{"file": name + ".tool.yaml"})
	}
	files["help.yaml"] = map[string]any{"task_type": "help", "system_template": "Help.", "allowed_tools": names}
	spec := map[string]any{
		"prompt_configs": []any{map[string]any{"file": "help.yaml"}}, "scenarios": []any{map[string]any{"file": "talk.yaml"}},
		"provider_specs": map[string]any{"mock": mock},
	}
	if tools != nil {
		spec["tools"] = tools
	}
	maps.Copy(spec, v.config)
	files["config.arena.yaml"] = map[string]any{"kind": "Arena", "metadata": map[string]any{"name": "told"}, "spec": spec}
	return files
}

// rounds are what the agent says in a turn. It ends in words, unless it ends where nobody speaks.
func (v *enacted) rounds(t enactedTurn) []any {
	if len(t.rounds) > 0 {
		last := t.rounds[len(t.rounds)-1]
		text, err := json.Marshal(last)
		if _, words := last.(string); words || err == nil && strings.Contains(string(text), `"Leave"`) {
			return t.rounds
		}
	}
	said := "Said."
	if v.Told.Output != nil && *v.Told.Output != "" {
		said = *v.Told.Output
	}
	return append(slices.Clone(t.rounds), said)
}
