package scenario

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/keys"
)

// keyUnfilled are keys, by the titles of their tables, whose texts are not told here.
var keyUnfilled = []string{
	// No model, server or program gets them: names that nothing else has, paths, and what reports show.
	"an entry of prompt_configs.id", "an entry of providers.group", "an eval.description", "an eval.groups", "an eval.tags",
	"an eval.task_type", "a scenario.tags", "a scenario.skip", "quarantine.reason", "quarantine.owner", "metric.help", "a prompt.version", "a prompt.description",
	"a prompt of a pack.description", "defaults.config_dir", "defaults.out_dir", "defaults.html_report", "output.dir",
	"html.file", "junit.file", "markdown.file", "a filter.allowlist", "a filter.blocklist", "http.redact",
	"a provider.unsupported_params", "credential.credential_env", "credential.credential_file",
	"a composition.output", "a step.depends_on", "additional_config of a replay.session",
	// A key may have any characters. One that is a placeholder as a whole is refused.
	"credential.api_key",
	// Checks: TestPlaceholdersEverywhere.
	"a check.message", "a check.description", "when.tool_called", "when.tool_called_pattern", "an eval.message",
	"a validator.message",
	// Variables, which are looked at where they are read, and prompts that no scenario has here.
	"context_metadata.domain", "context_metadata.user_role", "a model override.system_template",
	"a model override.system_template_prefix", "a model override.system_template_suffix",
	// What a mock says is no template.
	"a mock reply.content", "a mock reply.text", "a mock reply.response", "a mock reply.error", "a tool call.error",
	"a mock reply.audio_mime_type", "a mock response file.defaultResponse", "the mock replies.defaultResponse",
	"a reply of one_of.content", "a reply of one_of.text", "a reply of one_of.response", "a reply of one_of.error",
	"a reply of one_of.audio_mime_type", "a media address.detail", "media.caption",
	// This version refuses or skips what has them.
	"a scenario.voice", "exec.sandbox", "an entry of evals.sandbox", "skills.selector",
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
				value := planted(s.key.Shape, "a {{nobody}} b")
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

// keyKept are texts of tools, servers and agents that go to none of them.
var keyKept = []string{
	"http.redact", "request.exclude", "request.query_params", "multimodal.accept_types", "an MCP server.name",
	"an MCP server.working_dir", "an MCP server.command", "exec.command", "exec.sandbox", "source_args.image", "a mount.source",
	"a mount.target", "an agent.name", "a filter.allowlist", "a filter.blocklist", "auth.scheme", "auth.token_env",
	"consent.message", "client.categories",
}

// A variable of the environment is filled in where a text goes to an endpoint, a program, a server or an agent, or it
// is told: nobody wants to send $KEY in the place of a key.
func TestNoVariableIsSentAsItStands(t *testing.T) {
	t.Parallel()
	tables := []string{
		"http", "request", "exec", "an MCP server", "source_args", "an agent", "auth", "multimodal", "a mount",
	}
	met := map[string]bool{}
	for _, root := range keyRoots() {
		if root.name != "tool" && root.name != "arena" {
			continue
		}
		k := newKeyTry(t)
		w := newSchemaWriter(nil)
		w.Table(root.table)
		for _, s := range settings(&root) {
			title := s.table.Title()
			id := title + "." + s.key.Name
			if !slices.Contains(tables, title) || slices.Contains(keyKept, id) || s.key.Silence != 0 {
				continue
			}
			for _, text := range []string{"$ARENA_NONE", "${ARENA_NONE}"} {
				if text[1] == '{' && (root.name == "arena" || title == "http") { // the plan asks for what is called
					continue
				}
				value := planted(s.key.Shape, text)
				if _, isMap := s.key.Shape.(keys.Map); isMap && value == nil {
					value = map[string]any{"sample": text}
				}
				if value == nil {
					continue
				}
				met[title] = true
				doc := parsed(t, root.file)
				at := s.put(w, doc)
				if mode := keyMode[s.key.Name]; mode != "" && s.table == keys.Table(toolFields) {
					at["mode"] = mode
				}
				if title == "http" || title == "request" {
					doc["spec"].(map[string]any)["mode"] = "live"
				}
				if title == "exec" {
					doc["spec"].(map[string]any)["mode"] = "exec"
				}
				at[s.key.Name] = value
				_, said := k.load(&root, doc)
				if !slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, "ARENA_NONE") }) {
					t.Errorf("%s: %s is not told: %q", &s, text, said)
				}
			}
		}
	}
	for _, title := range tables[:7] {
		if !met[title] {
			t.Errorf("no text of %s was tried", title)
		}
	}
}

// planted is a value of a shape with a text that nothing fills in; nil where the shape has no text.
func planted(s keys.Shape, place string) any {
	switch s := s.(type) {
	case keys.Text:
		return place
	case keys.List:
		if v := planted(s.Item, place); v != nil {
			return []any{v}
		}
	case keys.Map:
		if v := planted(s.Value, place); v != nil {
			return map[string]any{"sample": v}
		}
	case keys.Any:
		return map[string]any{"sample": place}
	case schemaShape, bodyShape:
		return map[string]any{"description": place}
	}
	return nil
}
