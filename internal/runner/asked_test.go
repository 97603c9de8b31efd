package runner

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestAsked: two runs are compared where they ask and check the same, whoever the agent is.
func TestAsked(t *testing.T) {
	t.Parallel()
	type change = func(*Trial)
	of := func(opts Options, c change) string {
		trial, _ := filledTrial()
		c(trial)
		return NewFingerprints(&opts).Asked(trial)
	}
	same := func(*Trial) {}
	turn := func(f func(*scenario.Turn)) change { return func(t *Trial) { f(&t.Scenario.Turns[0]) } }
	want := of(Options{}, same)
	for name, c := range map[string]change{
		"what the user says":     turn(func(u *scenario.Turn) { u.Content = "other" }),
		"what the user shows":    turn(func(u *scenario.Turn) { u.Parts = []chat.Part{{Text: "other"}} }),
		"another turn":           func(t *Trial) { t.Scenario.Turns = append(t.Scenario.Turns, scenario.Turn{Content: "more"}) },
		"a check of a turn":      turn(func(u *scenario.Turn) { u.Assertions[0].Digest[0]++ }),
		"a check less":           turn(func(u *scenario.Turn) { u.Assertions = nil }),
		"the values of a name":   turn(func(u *scenario.Turn) { u.Rare.Perturbations[0].Values = []string{"Basel"} }),
		"no values":              turn(func(u *scenario.Turn) { u.Rare.Perturbations = nil }),
		"failures of tools":      turn(func(u *scenario.Turn) { u.Rare.Chaos = nil }),
		"the conversation":       func(t *Trial) { t.Scenario.Conversation = nil },
		"what all are asked":     func(t *Trial) { t.Project.Globals = nil },
		"programs that check":    func(t *Trial) { t.Project.Handlers = nil },
		"variables":              func(t *Trial) { t.Scenario.Variables = nil },
		"what the agent recalls": func(t *Trial) { t.Scenario.SeedMemories = nil },
		"skipped":                func(t *Trial) { t.Scenario.Skip = "broken" },
	} {
		if of(Options{}, c) == want {
			t.Errorf("%s: counts for the same", name)
		}
	}
	for name, c := range map[string]change{
		"the model":         func(t *Trial) { t.Endpoint.Spec.Model = "other" },
		"the system prompt": func(t *Trial) { t.Prompt.SystemTemplate = "other" },
		"the task":          func(t *Trial) { t.Scenario.TaskType = "other" },
		"the tools":         func(t *Trial) { t.Project.Tools = nil },
		"mock replies":      turn(func(u *scenario.Turn) { u.Rare.Mock = nil }),
		"the temperature":   turn(func(u *scenario.Turn) { u.Rare.Temperature = nil }),
		"tags and labels":   func(t *Trial) { t.Scenario.Tags, t.Scenario.Labels, t.Scenario.Description = nil, nil, "other" },
		"the providers":     func(t *Trial) { t.Scenario.Providers, t.Scenario.Group = []string{"other"}, "other" },
		"the variant":       func(t *Trial) { t.Variant = Variant{{0, "city", "Basel"}} },
		"the number":        func(t *Trial) { t.N, t.Of = 7, 20 },
		"the region":        func(t *Trial) { t.Region = "us" },
	} {
		if of(Options{}, c) != want {
			t.Errorf("%s: counts for another question", name)
		}
	}
	if of(Options{Only: []string{"tone"}}, same) == want {
		t.Error("other evals count for the same")
	}
}

// TestRepeatable: what a model, or a mock that draws, has a part in is no fact.
func TestRepeatable(t *testing.T) {
	t.Parallel()
	drawn := scenario.MockReply{OneOf: []scenario.MockChoice{{Chance: 1}}}
	of := func(c func(*Trial)) bool {
		trial := planOf(t, 1, says("hi")).Trial(0)
		trial.Endpoint.Spec.Type = scenario.MockType
		c(&trial)
		return trial.repeatable()
	}
	for _, c := range []struct {
		name  string
		trial func(*Trial)
		want  bool
	}{
		{"a mock", func(*Trial) {}, true},
		{"a recording", func(t *Trial) { t.Endpoint.Spec.Type, t.Endpoint.Simulated = scenario.ReplayType, true }, true},
		{"a model", func(t *Trial) { t.Endpoint.Simulated = false }, false},
		{"a mock that draws", func(t *Trial) {
			t.Scenario.Turns[0].Rare = &scenario.RareTurn{Mock: &scenario.TurnMock{Replies: []scenario.MockReply{drawn}}}
		}, false},
		{"a mock that draws by a file", func(t *Trial) {
			t.Project.Mock = &scenario.MockFile{Scenarios: map[string]*scenario.MockScenario{
				t.Scenario.ID: {Turns: []scenario.MockTurn{scenario.NewMockTurn(1, drawn)}},
			}}
		}, false},
		{"a mock that draws in another scenario", func(t *Trial) {
			t.Project.Mock = &scenario.MockFile{Scenarios: map[string]*scenario.MockScenario{
				"other": {Turns: []scenario.MockTurn{scenario.NewMockTurn(1, drawn)}},
			}}
		}, true},
	} {
		if got := of(c.trial); got != c.want {
			t.Errorf("%s: repeatable %v", c.name, got)
		}
	}
}
