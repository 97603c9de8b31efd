package scenario

import "maps"

// checkType is the name of a check. A project may declare programs that score under names of their own, so that no name
// is surely wrong; those of arena are there for editors to offer.
func (w *schemaWriter) checkType() map[string]any {
	if len(w.checks) == 0 {
		return w.of(text)
	}
	names := []string{wrapper}
	for _, c := range w.checks {
		names = append(names, c.Names...)
	}
	own := w.of(text)
	own["description"] = "A check of arena, or a program that scores: a type under evals of a RuntimeConfig."
	return anyOf(map[string]any{"enum": names}, own)
}

// wrapper is the type of a check that holds another one in its parameters.
const wrapper = "assertion"

// checkParams demands of the parameters of a check what its type takes.
func (w *schemaWriter) checkParams() map[string]any {
	const name = "check-params"
	if _, done := w.defs[name]; !done {
		rules := []any{}
		w.defs[name] = nil
		for _, c := range w.checks {
			rules = append(rules, w.checkRule(c))
		}
		w.defs[name] = map[string]any{"allOf": append(rules, w.wrapperRule())}
		w.table(nestedFields)
		w.table(weightedFields)
	}
	return ref(name)
}

func (w *schemaWriter) checkRule(c CheckSchema) map[string]any {
	params := asWritten(c.Params).(map[string]any)
	params["description"] = c.Summary
	if props, ok := params["properties"].(map[string]any); ok && w.guards {
		props["direction"] = map[string]any{"enum": []string{"input", "output", "both"},
			"description": "Which messages a validator looks at."}
	}
	w.defs["params."+c.Names[0]] = params
	place := ref("params." + c.Names[0])
	then := properties("params", anyOf(place, map[string]any{"type": "null"}))
	if needs(params) {
		then = properties("params", place)
		then["required"] = []string{"params"}
	}
	return whenIs("type", then, c.Names...)
}

// needs reports whether some parameter must be given.
func needs(params map[string]any) bool {
	return params["allOf"] != nil || params["required"] != nil
}

func (w *schemaWriter) wrapperRule() map[string]any {
	score := w.of(unit)
	params := map[string]any{
		"type":        "object",
		"description": "Another check, with its own parameters.",
		"properties": map[string]any{
			"eval_type": w.checkType(), "eval_params": anyOf(map[string]any{"type": "object"}, map[string]any{"type": "null"}),
			"min_score": score, "max_score": maps.Clone(score), "message": w.of(text),
		},
		"required": []string{"eval_type"}, "additionalProperties": false,
	}
	then := properties("params", params)
	then["required"] = []string{"params"}
	return whenIs("type", then, wrapper)
}

// asWritten copies a JSON Schema of values so that it takes them as YAML may hold them: numbers and booleans for text,
// yes and no for booleans.
func asWritten(schema any) any {
	switch s := schema.(type) {
	case map[string]any:
		c := make(map[string]any, len(s))
		for k, v := range s {
			c[k] = asWritten(v)
		}
		switch s["type"] {
		case "string":
			if _, patterned := s["pattern"]; !patterned {
				c["type"] = []string{"string", "number", "boolean"}
			}
		case "boolean":
			delete(c, "type")
			c["anyOf"] = boolShape{}.schema(nil)["anyOf"]
		}
		return c
	case []any:
		c := make([]any, len(s))
		for i, v := range s {
			c[i] = asWritten(v)
		}
		return c
	}
	return schema
}
