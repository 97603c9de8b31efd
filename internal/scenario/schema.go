package scenario

import "maps"

// CheckSchema is what the schemas of the files say about one check.
type CheckSchema struct {
	Names   []string // every spelling, the canonical one first
	Summary string
	// Params is the JSON Schema of the parameters. For checks that stand in them it refers to NestedSchema or
	// WeightedSchema.
	Params map[string]any
}

// CheckDefinitions are the definitions that the parameters of checks refer to.
func CheckDefinitions(checks []CheckSchema) map[string]any {
	w := &schemaWriter{checks: checks, defs: map[string]any{}, tables: map[keyed]string{}}
	w.checkParams()
	return w.defs
}

// SchemaKind is a kind of file that has a schema.
type SchemaKind struct {
	Name  string
	About string // what such a file holds, in one line
}

type fileKind struct {
	SchemaKind
	enveloped kind // what the key kind says in its files; "" when they have no envelope
	values    keyed
}

func fileKinds() []fileKind {
	return []fileKind{
		{SchemaKind{"arena", "a project: its prompts, providers, scenarios, tools and defaults"}, kindArena, arenaFields},
		{SchemaKind{"eval", "checks over recorded conversations"}, kindEval, recordingEvalFields},
		{SchemaKind{"fragment", "a text that prompts take in"}, "", fragmentFileFields},
		{SchemaKind{"logging", "log levels, as other tools read them"}, kindLogging, loggingFields},
		{SchemaKind{"mock", "canned replies for the mock provider"}, "", mockFileFields},
		{SchemaKind{"pack", "prompts, tools and evals to hand around together"}, "", packFields},
		{SchemaKind{"persona", "a simulated user for self-play"}, kindPersona, personaFields},
		{SchemaKind{"prompt", "a system prompt with its variables, tools and guardrails"}, kindPrompt, promptFields},
		{SchemaKind{"provider", "a model and how to reach it"}, kindProvider, providerFields},
		{SchemaKind{"runtime", "providers, tools and servers beside a pack"}, kindRuntime, runtimeFields},
		{SchemaKind{"scenario", "a conversation and what must hold in it"}, kindScenario, scenarioFields},
		{SchemaKind{"tool", "a tool that a model may call, simulated or real"}, kindTool, toolFields},
	}
}

// SchemaKinds lists the kinds of files that have a schema, sorted by name.
func SchemaKinds() []SchemaKind {
	var list []SchemaKind
	for _, k := range fileKinds() {
		list = append(list, k.SchemaKind)
	}
	return list
}

// Schema describes a kind of file as JSON Schema (draft 2020-12), for editors. The values may stand in an envelope or
// by themselves. What the loader takes fits the schema; what it refuses does not, as far as one file by itself tells.
// The result is nil when there is no such kind.
func Schema(name string, checks []CheckSchema) map[string]any {
	for _, k := range fileKinds() {
		if k.Name == name {
			return k.schema(checks)
		}
	}
	return nil
}

func (k *fileKind) schema(checks []CheckSchema) map[string]any {
	w := &schemaWriter{checks: checks, defs: map[string]any{}, tables: map[keyed]string{}}
	switch k.values {
	case keyed(promptFields), keyed(packFields), keyed(arenaFields):
		w.guards = true
	}
	root := map[string]any{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "arena " + k.Name,
		"description": "Describes " + k.About + ".",
	}
	switch {
	case k.enveloped != "":
		root["if"] = anyOf(required("kind"), required("apiVersion"), required("spec"))
		root["then"] = w.envelope(k)
		root["else"] = w.bare(k.values)
	case k.values == keyed(mockFileFields): // other tools wrap these too
		root["if"] = map[string]any{"required": []string{"spec"}, "not": required("scenarios")}
		root["then"] = map[string]any{"properties": map[string]any{"spec": k.values.schema(w)}}
		root["else"] = w.bare(k.values)
	default:
		maps.Copy(root, w.bare(k.values))
	}
	if len(w.defs) > 0 {
		root["$defs"] = w.defs
	}
	return root
}

// envelope is the outer map with the values below spec.
func (w *schemaWriter) envelope(k *fileKind) map[string]any {
	outer := w.object(envelopeFields)
	props := outer["properties"].(map[string]any)
	props["kind"], props["spec"] = map[string]any{"const": string(k.enveloped)}, k.values.schema(w)
	outer["required"] = []string{"kind", "spec"}
	return outer
}

// bare is the values by themselves, beside which a file may name its schema.
func (w *schemaWriter) bare(values keyed) map[string]any {
	alone := w.object(values)
	alone["properties"].(map[string]any)["$schema"] = map[string]any{"type": "string"}
	return alone
}
