package scenario

import (
	"maps"

	"github.com/arena-evals/arena/internal/jsonschema"
)

// checkType is the name of a check. A project may declare programs that score under names of their own, so that no name
// is surely wrong; those of arena are there for editors to offer.
func (w *schemaWriter) checkType() *jsonschema.Doc {
	own := text.Schema(w)
	if len(w.checks) == 0 {
		return own
	}
	names := []string{wrapper}
	for _, c := range w.checks {
		names = append(names, c.Names...)
	}
	own.Description = "A check of arena, or a program that scores: a type under evals of a RuntimeConfig."
	return jsonschema.AnyOf(&jsonschema.Doc{Enum: names}, own)
}

// wrapper is the type of a check that holds another one in its parameters.
const wrapper = "assertion"

// checkParams demands of the parameters of a check what its type takes.
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
		params.Properties["direction"] = &jsonschema.Doc{Enum: []string{"input", "output", "both"},
			Description: "Which messages a validator looks at."}
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
	params := ofType("object")
	params.Description = "Another check, with its own parameters."
	params.Properties = map[string]*jsonschema.Doc{
		"eval_type": w.checkType(), "eval_params": jsonschema.AnyOf(ofType("object"), ofType("null")),
		"min_score": unit.Schema(w), "max_score": unit.Schema(w), "message": text.Schema(w),
	}
	params.Required, params.AdditionalProperties = []string{"eval_type"}, jsonschema.NoOthers
	then := property("params", params)
	then.Required = []string{"params"}
	return whenIs("type", then, wrapper)
}
