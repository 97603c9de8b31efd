package scenario

// Some places take more than the shape of their field says, or less, because their readers look closer. They are
// described here.

// place describes the value of a key.
func (w *schemaWriter) place(f keyed, k writable) map[string]any {
	switch f {
	case keyed(checkFields), keyed(nestedFields), keyed(weightedFields), keyed(evalFields), keyed(validatorFields):
		if k.name == "type" {
			return w.checkType()
		}
	case keyed(turnFields):
		if k.name == "mock" {
			return oneOrMore(w.item(mockTurnFields))
		}
	case keyed(mockScenarioFields):
		if k.name == "turns" {
			return w.replies()
		}
	case keyed(mockFileFields):
		if k.name == "judges" {
			return mapOf(anyOf(w.of(text), w.table(mockScenarioFields)))
		}
	case keyed(mockCallFields):
		if k.name != "name" { // the arguments may be JSON text
			return anyOf(map[string]any{"type": "object"}, w.of(text))
		}
	case keyed(toolFields), keyed(packToolFields):
		if k.name == "input_schema" || k.name == "parameters" {
			arguments := properties("type", map[string]any{"const": "object"})
			arguments["type"] = "object"
			return arguments
		}
	case keyed(arenaFields), keyed(selfPlayFields):
		if of, ok := inlineKinds()[k.name]; ok {
			return mapOf(w.table(of))
		}
	}
	return w.of(k.shape)
}

// inlineKinds are the kinds of the resources that are written into an arena config.
func inlineKinds() map[string]keyed {
	return map[string]keyed{
		"prompt_specs": promptFields, "provider_specs": providerFields, "scenario_specs": scenarioFields,
		"eval_specs": recordingEvalFields, "tool_specs": toolFields, "persona_specs": personaFields,
	}
}

// item describes an entry of a list or a map. Some entries may be a text alone.
func (w *schemaWriter) item(s shape) map[string]any {
	switch s {
	case shape(fileRefFields), shape(skillFields), shape(mockTurnFields):
		return anyOf(w.of(text), w.of(s))
	}
	return w.of(s)
}

// replies are canned replies by their number, from 1, or in a list.
func (w *schemaWriter) replies() map[string]any {
	reply := w.item(mockTurnFields)
	numbered := mapOf(reply)
	numbered["propertyNames"] = map[string]any{"pattern": `^\+?0*[1-9][0-9]*$`}
	return anyOf(numbered, map[string]any{"type": "array", "items": reply})
}

// complete adds what the keys of a table must fulfil together.
func (w *schemaWriter) complete(f keyed, object map[string]any) {
	props := object["properties"].(map[string]any)
	var rules []any
	switch f {
	case keyed(checkFields), keyed(nestedFields), keyed(weightedFields), keyed(evalFields), keyed(validatorFields):
		if len(w.checks) > 0 {
			rules = append(rules, w.checkParams())
		}
	case keyed(turnFields):
		rules = append(rules, speaker())
	case keyed(mockTurnFields):
		rules = append(rules, anyOf(required("content"), required("text"), required("response"), required("tool_calls"),
			required("parts"), required("audio_file"), required("error")))
	case keyed(providerFields):
		rules = append(rules,
			whenIs("type", properties("additional_config", w.table(mockConfigFields)), "mock"),
			whenIs("type", properties("additional_config", w.table(replayFields)), "replay"))
		for _, t := range ProviderTypes() {
			if t.settings != nil {
				either := anyOf(w.table(t.settings), w.table(embeddingConfigFields))
				rules = append(rules, whenIs("type", properties("additional_config", either), t.Word))
			}
		}
	case keyed(personaFields):
		rules = append(rules, anyOf(required("system_template"), required("system_prompt")))
	case keyed(mcpFields):
		rules = append(rules, map[string]any{"oneOf": []any{required("command"), required("url"), required("source")}})
	case keyed(toolFields):
		rules = append(rules, whenIs("mode", required("http"), "live"), whenIs("mode", required("exec"), "exec"))
		props["type"] = map[string]any{"const": "function"} // the form in which model providers write tools
		props["function"] = w.table(toolFields)
	}
	if rules != nil {
		object["allOf"] = rules
	}
}

// speaker is what a turn needs: text or parts of the user, or a persona for a role of self-play.
func speaker() map[string]any {
	wrong := []string{"assistant", "system", "tool", "developer", "function"}
	others := map[string]any{"not": map[string]any{"enum": wrong}}
	rule := whenIs("role", anyOf(required("content"), required("parts")), "user")
	rule["else"] = properties("role", others)
	rule["else"].(map[string]any)["required"] = []string{"persona"}
	return rule
}

// whenIs demands something of a map where a key has one of some values.
func whenIs(key string, then map[string]any, values ...string) map[string]any {
	is := properties(key, map[string]any{"enum": values})
	is["required"] = []string{key}
	return map[string]any{"if": is, "then": then}
}

func properties(key string, value map[string]any) map[string]any {
	return map[string]any{"properties": map[string]any{key: value}}
}

func mapOf(value map[string]any) map[string]any {
	return map[string]any{"type": "object", "additionalProperties": value}
}

func oneOrMore(item map[string]any) map[string]any {
	return anyOf(item, map[string]any{"type": "array", "items": item, "minItems": 1})
}
