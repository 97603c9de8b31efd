package scenario

import (
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/keys"
)

// keyUnfilled are keys, by the titles of their tables, whose texts are not told here.
var keyUnfilled = []string{
	// No model, server or program gets them: names that nothing else has, paths, and what reports show.
	"an entry of prompt_configs.id", "an entry of providers.group", "an eval.description", "an eval.groups", "an eval.tags",
	"an eval.task_type", "a scenario.tags", "a scenario.skip", "metric.help", "a prompt.version", "a prompt.description",
	"a prompt of a pack.description", "defaults.config_dir", "defaults.out_dir", "defaults.html_report", "output.dir",
	"html.file", "junit.file", "markdown.file", "a filter.allowlist", "a filter.blocklist", "http.redact",
	"a provider.unsupported_params", "credential.credential_env", "credential.credential_file",
	"a composition.output", "a step.depends_on", "additional_config of a replay.session",
	// A key may have any characters. One that is a placeholder as a whole is refused.
	"credential.api_key",
	// Checks: TestPlaceholdersEverywhere.
	"a check.message", "when.tool_called", "when.tool_called_pattern", "an eval.message", "a validator.message",
	// Variables, which are looked at where they are read, and prompts that no scenario has here.
	"context_metadata.domain", "context_metadata.user_role", "a model override.system_template",
	"a model override.system_template_prefix", "a model override.system_template_suffix",
	// What a mock says is no template.
	"a mock reply.content", "a mock reply.text", "a mock reply.response", "a mock reply.error", "a tool call.error",
	"a mock reply.audio_mime_type", "a mock response file.defaultResponse", "the mock replies.defaultResponse",
	"a media address.detail", "media.caption",
	// This version refuses or skips what has them.
	"relevance.custom_query", "a scenario.voice", "exec.sandbox", "an entry of evals.sandbox", "skills.selector",
	"a runtime config.tool_selector", "a persona.system_prompt", "a persona.goals", "a persona.constraints",
	"a persona.required_vars", "style.friction_tags", "additional_config of an openai provider.modalities",
	"additional_config of an openai provider.audio_format", "additional_config of an openai provider.voice",
}

// Every text in a file is filled in, or a placeholder in it is told, or it never leaves arena. A model that reads
// {{shop}} is not the one under test.
func TestNoTextIsSentHalfFilled(t *testing.T) {
	t.Parallel()
	for _, root := range keyRoots() {
		t.Run(root.name, func(t *testing.T) {
			t.Parallel()
			k := newKeyTry(t)
			w := newSchemaWriter(nil)
			w.Table(root.table)
			for _, s := range settings(&root) {
				value := planted(s.key.Shape)
				id := s.table.Title() + "." + s.key.Name
				if slices.Contains(s.path, "runtime") && slices.Contains(s.path, "providers") {
					continue // the project has others
				}
				if value == nil || s.key.Silence != 0 || s.key.Idle != "" || slices.Contains(keyUnfilled, id) {
					continue
				}
				doc := parsed(t, root.file)
				at := s.put(w, doc)
				if mode := keyMode[s.key.Name]; mode != "" && s.table == keys.Table(toolFields) {
					at["mode"] = mode
				}
				delete(at, s.key.Name)
				_, before := k.load(&root, doc)
				at[s.key.Name] = value
				_, said := k.load(&root, doc)
				if slices.Equal(before, said) {
					t.Errorf("%s: {{nobody}} is not told", &s)
				}
			}
		})
	}
}

// planted is a value of a shape with a placeholder that nothing fills in; nil where the shape has no text.
func planted(s keys.Shape) any {
	const place = "a {{nobody}} b"
	switch s := s.(type) {
	case keys.Text:
		return place
	case keys.List:
		if v := planted(s.Item); v != nil {
			return []any{v}
		}
	case keys.Map:
		if v := planted(s.Value); v != nil {
			return map[string]any{"sample": v}
		}
	case keys.Any:
		return map[string]any{"sample": place}
	case schemaShape, bodyShape:
		return map[string]any{"description": place}
	}
	return nil
}
