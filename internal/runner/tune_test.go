package runner

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestTune: every request setting of a provider's file is in the requests.
func TestTune(t *testing.T) {
	t.Parallel()
	elsewhere := map[string]bool{ // a place; done where requests are encoded
		"FormatPos": true, "StrictTools": true, "ThinkingBudget": true, "PromptCaching": true, "APIVersion": true, "APIMode": true,
		"ReasoningSummary": true, "Gemini": true,
	}
	values := map[string]any{
		"Stop": []string{"END"}, "ReasoningEffort": "low", "ParallelToolCalls": new(false), "ReplyFormat": "json_object",
		"ReplySchema": json.RawMessage(`{"type":"array"}`), "SchemaName": "order", "Body": map[string]any{"top_k": 3},
	}
	kind := reflect.TypeFor[scenario.Tuning]()
	for field := range kind.Fields() {
		name := field.Name
		if elsewhere[name] {
			continue
		}
		spec := &scenario.Provider{}
		if name == "SchemaName" {
			spec.ReplySchema = json.RawMessage(`{"type":"array"}`)
		}
		before := tuned(spec, nil)
		reflect.ValueOf(&spec.Tuning).Elem().FieldByName(name).Set(reflect.ValueOf(values[name]))
		if after := tuned(spec, nil); reflect.DeepEqual(before, after) {
			t.Errorf("%s changes no request", name)
		}
	}
	inFile, inPrompt, inScenario := json.RawMessage(`{"title":"1"}`), json.RawMessage(`{"title":"2"}`), json.RawMessage(`{"title":"3"}`)
	spec := &scenario.Provider{Tuning: scenario.Tuning{ReplyFormat: "json_schema", ReplySchema: inFile}}
	for want, trial := range map[string]*Trial{
		string(inFile):     {Prompt: &scenario.Prompt{}},
		string(inPrompt):   {Prompt: &scenario.Prompt{OutputSchema: inPrompt}},
		string(inScenario): {Prompt: &scenario.Prompt{OutputSchema: inPrompt}, Scenario: &scenario.Scenario{OutputSchema: inScenario}},
	} {
		if got := string(tuned(spec, trial).JSONSchema); got != want {
			t.Errorf("got the schema %s, want %s", got, want)
		}
	}
	spec.ReplyFormat = "text"
	if r := tuned(spec, nil); r.JSONSchema != nil || r.JSON {
		t.Errorf("text was asked for: %+v", r)
	}
}

func tuned(spec *scenario.Provider, t *Trial) *chat.Request {
	if t == nil {
		t = &Trial{}
	}
	if t.Scenario == nil {
		t.Scenario = &scenario.Scenario{}
	}
	req := &chat.Request{}
	tune(req, spec, replySchema(t.Scenario, t.Prompt, spec))
	return req
}
