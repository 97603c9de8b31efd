package scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVariables(t *testing.T) {
	t.Parallel()
	prompt := &Prompt{
		TaskType: "desk",
		Variables: []Variable{
			{Name: "house", Default: new("Nowhere")}, {Name: "hours", Required: true, Default: new("9 to 5")},
			{Name: "title", Required: true}, {Name: "domain"},
		},
		Vars:      map[string]string{"house": "Central", "shelf": "A"},
		Fragments: map[string]string{"rules": "Be kind."},
	}
	long := strings.Repeat("ö", 200)
	s := &Scenario{
		Description: "A reader", Context: ContextMetadata{Domain: "books", UserRole: "reader"},
		Turns:     []Turn{{Role: "buyer", Content: "generated"}, {Role: "user", Content: long}},
		Variables: map[string]string{"title": "Emma", "shelf": "B", "user_role": "guest"},
	}
	got, err := Variables(prompt, s, "north")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"house": "Central", "hours": "9 to 5", "title": "Emma", "shelf": "B", "rules": "Be kind.", "region": "north",
		"domain": "books", "user_role": "guest", "user_context": "reader",
		"context_slot": "A reader " + strings.Repeat("ö", 150),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVariablesMissing(t *testing.T) {
	t.Parallel()
	prompt := &Prompt{TaskType: "desk", Variables: []Variable{
		{Name: "a", Required: true}, {Name: "b", Required: true, Default: new("")}, {Name: "c", Required: true},
	}}
	_, err := Variables(prompt, &Scenario{Variables: map[string]string{"c": "x"}}, "default")
	want := `the prompt "desk" requires a value for "a", "b"`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestVariablesWithoutPrompt(t *testing.T) {
	t.Parallel()
	got, err := Variables(nil, &Scenario{Variables: map[string]string{"x": "1"}}, "default")
	if diff := cmp.Diff(map[string]string{"x": "1", "region": "default"}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestSystemPrompt(t *testing.T) {
	t.Parallel()
	half, tokens := 0.5, 50
	prompt := &Prompt{
		TaskType: "desk", SystemTemplate: "You work at {{house}}.", MaxTokens: &tokens,
		Overrides: map[string]ModelOverride{
			"tiny":  {Suffix: " Be short.", Prefix: "> ", Parameters: Parameters{Temperature: &half}},
			"other": {SystemTemplate: "Work, {{hause}}!"},
		},
	}
	vars := map[string]string{"house": "Central"}
	for model, want := range map[string]string{
		"": "You work at Central.", "big": "You work at Central.", "tiny": "> You work at Central. Be short.",
	} {
		if got, err := SystemPrompt(prompt, model, vars, &Scenario{}); err != nil || got != want {
			t.Errorf("%s: got %q and %v, want %q", model, got, err, want)
		}
	}
	_, err := SystemPrompt(prompt, "other", vars, &Scenario{})
	want := `the system prompt "desk": no variable is named {{hause}} (did you mean {{house}}?)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := ModelParameters(prompt, "tiny"); got.Temperature != &half || got.MaxTokens != &tokens {
		t.Errorf("parameters of tiny: %+v", got)
	}
}
