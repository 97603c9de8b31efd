package scenario_test

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

// TestPromptIsNoPersona: there is a warning of a prompt that is read as a persona because its text has the key of other
// tools.
func TestPromptIsNoPersona(t *testing.T) {
	t.Parallel()
	config := "scenarios: [{file: good.yaml}]\nprompt_configs: [{id: a, file: prompt.yaml}]\n" +
		"provider_specs: {m: {type: mock, model: m}}\n"
	documents := map[string]string{
		"text alone": "id: a\nsystem_prompt: Be kind.\n",
		"a name":     "name: a\ndescription: b\nsystem_prompt: Be kind.\n",
	}
	for _, key := range scenario.PromptKeys() {
		documents[key] = "id: a\nsystem_prompt: Be kind.\n" + key + ": []\n"
	}
	for name, text := range documents {
		for place, files := range map[string]map[string]string{
			"folder": {"good.yaml": goodFile, "prompt.yaml": text},
			"config": {"good.yaml": goodFile, "prompt.yaml": text, "config.arena.yaml": config},
		} {
			t.Run(name+"/"+place, func(t *testing.T) {
				t.Parallel()
				_, diags := scenario.Load(scenario.Options{Dir: writeFiles(t, files), Paths: []string{"."}})
				for _, d := range diags.Sorted() {
					if strings.Contains(d.Hint, "system_template") {
						return
					}
				}
				t.Errorf("nothing says what the text is called: %v", diags.Sorted())
			})
		}
	}
}

// TestPersonasInUse: a persona that a turn names, or that a config lists, gets no warning.
func TestPersonasInUse(t *testing.T) {
	t.Parallel()
	const persona = "id: p\nsystem_prompt: You are in a hurry.\n"
	const played = "id: s\nturns: [{role: r, persona: p}]\n"
	const config = "scenarios: [{file: good.yaml}]\nprovider_specs: {m: {type: mock, model: m}}\n" +
		"self_play: {enabled: true, personas: [{file: p.yaml}], roles: [{id: r, provider: m}]}\n"
	for name, files := range map[string]map[string]string{
		"listed": {"good.yaml": goodFile, "p.yaml": persona, "config.arena.yaml": config},
		"played": {"s.yaml": played, "p.yaml": persona},
	} {
		_, diags := scenario.Load(scenario.Options{Dir: writeFiles(t, files), Paths: []string{"."}})
		for _, d := range diags.Sorted() {
			if strings.HasPrefix(d.Pos.File, "p.yaml") {
				t.Errorf("%s: %s", name, d.Line())
			}
		}
	}
}

// TestPlacesOfAPersona: placeholders of a persona have double braces; similar texts get a warning.
func TestPlacesOfAPersona(t *testing.T) {
	t.Parallel()
	const config = "scenarios: [{file: s.yaml}]\nprovider_specs: {m: {type: mock, model: m}}\n" +
		"self_play: {enabled: true, personas: [{file: p.yaml}], roles: [{id: r, provider: m}]}\n"
	for text, want := range map[string]string{
		"You want to {persona_goals}.":     "{persona_goals} is sent as written, braces included; not told its goals",
		"You want to <persona_goals>.":     "not told its goals",
		"You want to {{persona_goals}}.":   "",
		"You want to {{ persona_goals }}.": "{{ persona_goals }} is not a placeholder; not told its goals",
	} {
		files := map[string]string{
			"config.arena.yaml": config, "s.yaml": "id: s\nturns: [{role: r, persona: p, turns: 2}]\n",
			"p.yaml": "id: p\nsystem_template: \"" + text + "\"\ngoals: [get a refund]\n",
		}
		_, diags := scenario.Load(scenario.Options{Dir: writeFiles(t, files), Paths: []string{"."}})
		var found []string
		for _, d := range diags.Sorted() {
			if strings.HasPrefix(d.Pos.File, "p.yaml") {
				_, msg, _ := strings.Cut(strings.ReplaceAll(d.Msg, "is not told", "not told"), ` "p"`)
				found = append(found, strings.TrimLeft(msg, ": "))
			}
		}
		if got := strings.Join(found, "; "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
