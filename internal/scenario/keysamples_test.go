package scenario

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// keySamples are values for keys that not any value of their shape fits.
var keySamples = map[string]any{
	"a composition.version": 1, "a workflow.version": 2, "steps": []any{map[string]any{"id": "a", "kind": "prompt"}},
	"a pack.version": "1.2.3", "a prompt of a pack.version": "1.2.3", "media.data": "aGk=",
	"additional_config of an anthropic provider.thinking_budget": 2048,
	"additional_config of a gemini provider.reasoning_effort":    "low",
	"a tool call.error": "sample", "a tool call.error_type": "execution",
	"a tool call.result_parts": []any{map[string]any{"type": "text"}}, "a tool call.result": "sample",
	"an eval.enabled": false, "a validator.enabled": false, "fail_on_violation": false, "self_play.enabled": false,
	"include_details": false, "show_overview": false, "show_results_matrix": false, "show_failed_tests": false,
	"show_cost_summary": false, "metric.range": map[string]any{"min": 0.5, "max": 1.5}, "the mock replies.steps": map[string]any{"a": "b"},
	"a tool of a pack.parameters": map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{}}},
	"a judge.provider":            "ollama", "a role.provider": "ollama", "inference.embedder": "openai", "judge_defaults.prompt": "support",
	"mock_config": "mock.yaml", "file_path": "talk.json", "audio_file": "talk.json",
	"a reply of one_of.chance": 1.0, "a mock reply.type": "tool_calls", "a reply of one_of.type": "tool_calls",
	"a part.metadata":     map[string]any{"mime_type": "image/gif"},
	"a tool failure.tool": "look", "tool_policy.tool_choice": "look", "tool_policy.blocklist": []any{"look"},
	"a scenario.providers": []any{"openai"}, "provider_group": "default", "prompt_task": "support",
	"orchestration": "external", "relevance.query_source": "last_user", "base_url": "http://127.0.0.1",
}

func (s *setting) sampleFor(w *schemaWriter) any {
	for _, name := range []string{s.table.Title() + "." + s.key.Name, s.key.Name} {
		if v, ok := keySamples[name]; ok {
			return jsonvalue.Clone(v)
		}
	}
	return sampleFor(w, w.place(s.table, s.key), 0)
}

// sampleFor is a value that fits a schema, and is not what stands for nothing.
func sampleFor(w *schemaWriter, schema *jsonschema.Doc, depth int) any {
	if to, ok := strings.CutPrefix(schema.Ref, "#/$defs/"); ok {
		return sampleFor(w, w.defs[to], depth+1)
	}
	if words := schema.Enum; words != nil {
		return words[len(words)-1]
	}
	if choices := schema.AnyOf; choices != nil {
		isList := func(c *jsonschema.Doc) bool { return slices.Equal(c.Type, []string{"array"}) }
		if i := slices.IndexFunc(choices, isList); i >= 0 {
			return sampleFor(w, choices[i], depth)
		}
		return sampleFor(w, choices[0], depth)
	}
	if strings.Contains(schema.Pattern, "µs") {
		return "97s"
	}
	if schema.Format == "date" {
		return "2027-01-31"
	}
	if schema.Type == nil {
		return map[string]any{"sample": "sample"}
	}
	switch schema.Type[0] {
	case "boolean":
		return true
	case "integer":
		return 3
	case "number":
		return 0.25
	case "array":
		return []any{sampleFor(w, schema.Items, depth+1)}
	case "object":
		if len(schema.Type) > 1 {
			break
		}
		object := map[string]any{}
		if of := schema.AdditionalProperties.Of(); of != nil {
			object["sample"] = sampleFor(w, of, depth+1)
		}
		for _, name := range schema.Required {
			object[name] = sampleFor(w, schema.Properties[name], depth+1)
		}
		if len(schema.Properties) == 0 && len(object) == 0 {
			object["sample"] = "sample"
		}
		return object
	}
	return "sample"
}
