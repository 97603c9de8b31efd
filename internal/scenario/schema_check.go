package scenario

import (
	"maps"

	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
)

// checkType is the name of a check. A project may declare checks with other names, so no name is certainly wrong;
// editors offer those of arena.
func (w *schemaWriter) checkType() *jsonschema.Doc {
	own := text.Schema(w)
	if len(w.checks) == 0 {
		return own
	}
	names := []string{Wrapper}
	for _, c := range w.checks {
		names = append(names, c.Names...)
	}
	own.Description = "A check of arena, or a program that scores: a type under evals of a RuntimeConfig."
	return jsonschema.AnyOf(&jsonschema.Doc{Enum: names}, own)
}

// checkParams requires the parameters that the type of a check accepts.
func (w *schemaWriter) checkParams() *jsonschema.Doc {
	const name = "check-params"
	if _, done := w.defs[name]; !done {
		w.defs[name] = nil
		rules := &jsonschema.Doc{}
		for _, c := range w.checks {
			rules.AllOf = append(rules.AllOf, w.checkRule(c))
		}
		rules.AllOf = append(rules.AllOf, w.wrapperRule())
		w.defs[name] = rules
		w.Table(nestedFields)
		w.Table(weightedFields)
	}
	return jsonschema.Refer(name)
}

func (w *schemaWriter) checkRule(c CheckSchema) *jsonschema.Doc {
	params := *c.Params
	params.Description = c.Summary
	if w.guards {
		params.Properties = maps.Clone(params.Properties)
		maps.Copy(params.Properties, keys.Object([]*keys.Key{&direction}, false, nil).Properties)
	}
	name := "params." + c.Names[0]
	w.defs[name] = &params
	then := property("params", jsonschema.AnyOf(jsonschema.Refer(name), ofType("null")))
	if params.AllOf != nil || params.Required != nil {
		then = property("params", jsonschema.Refer(name))
		then.Required = []string{"params"}
	}
	return whenIs("type", then, c.Names...)
}

func (w *schemaWriter) wrapperRule() *jsonschema.Doc {
	surface := ConversationAssertion
	if w.guards {
		surface = Guardrail
	}
	params := keys.Object(WrapperKeys(surface), false, func(k *keys.Key) *jsonschema.Doc {
		switch {
		case k == &wrappedType:
			return w.checkType()
		case k.Null:
			return jsonschema.AnyOf(k.Shape.Schema(w), ofType("null"))
		}
		return k.Shape.Schema(w)
	})
	params.Description = "Another check, with its own parameters."
	then := property("params", params)
	then.Required = []string{"params"}
	return whenIs("type", then, Wrapper)
}
