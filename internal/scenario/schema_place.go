package scenario

import (
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
)

// Some values accept more or less than the shape of their field says. These are described here.

// place describes the value of a key.
func (w *schemaWriter) place(f keys.Table, k *keys.Key) *jsonschema.Doc {
	switch f {
	case keys.Table(checkFields), keys.Table(nestedFields), keys.Table(weightedFields), keys.Table(evalFields),
		keys.Table(validatorFields):
		if k.Name == "type" {
			return w.checkType()
		}
	case keys.Table(turnFields):
		if k.Name == "mock" {
			return oneOrMore(w.Item(mockTurnFields))
		}
	case keys.Table(mockScenarioFields):
		if k.Name == "turns" {
			return w.replies()
		}
	case keys.Table(mockFileFields):
		if k.Name == "judges" {
			return mapDoc(jsonschema.AnyOf(text.Schema(w), w.Table(mockScenarioFields)))
		}
	case keys.Table(mockCallFields):
		if k.Name != "name" { // the arguments may be JSON text
			return jsonschema.AnyOf(ofType("object"), text.Schema(w))
		}
	case keys.Table(toolFields), keys.Table(packToolFields):
		if k.Name == "input_schema" || k.Name == "parameters" {
			object := &jsonschema.Doc{Const: "object", Description: "Arguments are an object."}
			arguments := property("type", object)
			arguments.Type = jsonschema.Types{"object"}
			return arguments
		}
	case keys.Table(arenaFields), keys.Table(selfPlayFields):
		if of, ok := inlineKinds()[k.Name]; ok {
			return mapDoc(w.Table(of))
		}
	}
	return k.Shape.Schema(w)
}

// inlineKinds are the kinds of the resources that are written into an arena config.
func inlineKinds() map[string]keys.Table {
	return map[string]keys.Table{
		"prompt_specs": promptFields, "provider_specs": providerFields, "scenario_specs": scenarioFields,
		"eval_specs": recordingEvalFields, "tool_specs": toolFields, "persona_specs": personaFields,
	}
}

// Item describes an entry of a list or a map. Some entries may be just a text.
func (w *schemaWriter) Item(s keys.Shape) *jsonschema.Doc {
	switch s {
	case keys.Shape(fileRefFields), keys.Shape(skillFields), keys.Shape(mockTurnFields):
		return jsonschema.AnyOf(text.Schema(w), s.Schema(w))
	}
	return s.Schema(w)
}

// replies are canned replies by their number, from 1, or in a list.
func (w *schemaWriter) replies() *jsonschema.Doc {
	reply := w.Item(mockTurnFields)
	numbered := mapDoc(reply)
	numbered.PropertyNames = &jsonschema.Doc{Pattern: `^\+?0*[1-9][0-9]*$`}
	return jsonschema.AnyOf(numbered, &jsonschema.Doc{Type: jsonschema.Types{"array"}, Items: reply})
}

// complete adds the rules that the keys of a table must fulfil together.
func (w *schemaWriter) complete(f keys.Table, object *jsonschema.Doc) {
	add := func(rules ...*jsonschema.Doc) { object.AllOf = append(object.AllOf, rules...) }
	switch f {
	case keys.Table(checkFields), keys.Table(nestedFields), keys.Table(weightedFields), keys.Table(evalFields),
		keys.Table(validatorFields):
		if len(w.checks) > 0 {
			add(w.checkParams())
		}
	case keys.Table(scenarioFields):
		add(oneOf("turns", "input_field"))
	case keys.Table(turnFields):
		add(speaker())
	case keys.Table(mockTurnFields):
		add(oneOf("content", "text", "response", "tool_calls", "parts", "audio_file", "error", "one_of"))
	case keys.Table(mockChoiceFields):
		add(oneOf("content", "text", "response", "tool_calls", "parts", "audio_file", "error"))
	case keys.Table(providerFields):
		add(whenIs("type", property("additional_config", w.Table(mockConfigFields)), "mock"),
			whenIs("type", property("additional_config", w.Table(replayFields)), "replay"),
			whenIs("type", property("additional_config", w.Table(programFields)), ProgramType),
			whenIs("type", property("additional_config", w.Table(httpAgentFields)), HTTPType),
			whenIs("type", jsonschema.Requires("additional_config"), ProgramType, HTTPType))
		for _, t := range ProviderTypes() {
			if t.settings != nil {
				either := jsonschema.AnyOf(w.Table(t.settings), w.Table(embeddingConfigFields))
				add(whenIs("type", property("additional_config", either), t.Word))
			}
		}
	case keys.Table(personaFields):
		add(oneOf("system_template", "system_prompt"))
	case keys.Table(serverFields):
		add(&jsonschema.Doc{OneOf: oneOf("command", "url", "source").AnyOf})
	case keys.Table(toolFields):
		add(whenIs("mode", jsonschema.Requires("http"), "live"), whenIs("mode", jsonschema.Requires("exec"), "exec"))
		// Tools in the form of model providers.
		function := *w.Table(toolFields)
		function.Description = "The tool, as model providers write it."
		object.Properties["type"] = &jsonschema.Doc{Const: "function", Description: "Says that function holds the tool."}
		object.Properties["function"] = &function
	}
}

// speaker requires the content of a turn: text or parts of the user, or a persona for self-play.
func speaker() *jsonschema.Doc {
	rule := whenIs("role", oneOf("content", "parts"), "user")
	wrong := &jsonschema.Doc{Enum: []string{"assistant", "system", "tool", "developer", "function"}}
	rule.Else = property("role", &jsonschema.Doc{Not: wrong})
	rule.Else.Required = []string{"persona"}
	return rule
}

// whenIs requires something of a map if a key has one of some values.
func whenIs(key string, then *jsonschema.Doc, values ...string) *jsonschema.Doc {
	is := property(key, &jsonschema.Doc{Enum: values})
	is.Required = []string{key}
	return &jsonschema.Doc{If: is, Then: then}
}

// oneOf requires one of some keys.
func oneOf(names ...string) *jsonschema.Doc {
	var all jsonschema.Doc
	keys.RequireOne(&all, names)
	return all.AllOf[0]
}

func property(key string, value *jsonschema.Doc) *jsonschema.Doc {
	return &jsonschema.Doc{Properties: map[string]*jsonschema.Doc{key: value}}
}

func ofType(types ...string) *jsonschema.Doc { return &jsonschema.Doc{Type: types} }

func mapDoc(value *jsonschema.Doc) *jsonschema.Doc {
	return &jsonschema.Doc{Type: jsonschema.Types{"object"}, AdditionalProperties: jsonschema.OthersOf(value)}
}

func oneOrMore(item *jsonschema.Doc) *jsonschema.Doc {
	return jsonschema.AnyOf(item, &jsonschema.Doc{Type: jsonschema.Types{"array"}, Items: item, MinItems: 1})
}
