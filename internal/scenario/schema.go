package scenario

import (
	"strings"

	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
)

// CheckSchema is what the schemas of the files say about one check.
type CheckSchema struct {
	Names   []string // every spelling, the canonical one first
	Summary string
	// Params is the JSON Schema of the parameters. For nested checks it refers to NestedSchema or WeightedSchema.
	Params *jsonschema.Doc
}

// CheckDefinitions are the definitions that the parameters of checks refer to.
func CheckDefinitions(checks []CheckSchema) map[string]*jsonschema.Doc {
	w := newSchemaWriter(checks)
	w.checkParams()
	return asWritten(&jsonschema.Doc{Defs: w.defs}).Defs
}

// SchemaKind is a kind of file that has a schema.
type SchemaKind struct {
	Name  string
	About string // what such a file holds, in one line
}

// FileKind is a kind of file that people write, and the keys that it may have.
type FileKind struct {
	SchemaKind
	Kind string     // what the key kind says in its files; "" when they have no envelope
	Keys keys.Table // below spec, where there is an envelope
}

// FileKinds lists the kinds of files that people write, sorted by name.
func FileKinds() []FileKind {
	return []FileKind{
		{SchemaKind{"arena", "a project: its prompts, providers, scenarios, tools and defaults"}, string(kindArena),
			arenaFields},
		{SchemaKind{"eval", "checks over recorded conversations"}, string(kindEval), recordingEvalFields},
		{SchemaKind{"fragment", "a text that prompts take in"}, "", fragmentFileFields},
		{SchemaKind{"logging", "log levels, as other tools read them"}, string(kindLogging), loggingFields},
		{SchemaKind{"mock", "canned replies for the mock provider"}, "", mockFileFields},
		{SchemaKind{"pack", "prompts, tools and evals to hand around together"}, "", packFields},
		{SchemaKind{"persona", "a simulated user for self-play"}, string(kindPersona), personaFields},
		{SchemaKind{"program", "a scenario that names the program that is its agent"}, "", programScenarioFields},
		{SchemaKind{"prompt", "a system prompt with its variables, tools and guardrails"}, string(kindPrompt), promptFields},
		{SchemaKind{"provider", "a model and how to reach it"}, string(kindProvider), providerFields},
		{SchemaKind{"runtime", "providers, tools and servers beside a pack"}, string(kindRuntime), runtimeFields},
		{SchemaKind{"scenario", "a conversation and what must hold in it"}, string(kindScenario), scenarioFields},
		{SchemaKind{"tool", "a tool that a model may call, simulated or real"}, string(kindTool), toolFields},
	}
}

// SchemaKinds lists the kinds of files that have a schema, sorted by name.
func SchemaKinds() []SchemaKind {
	var list []SchemaKind
	for _, k := range FileKinds() {
		list = append(list, k.SchemaKind)
	}
	return list
}

// Schema describes a kind of file as JSON Schema (draft 2020-12), for editors. The values may be in an envelope or not.
// What the loader accepts fits the schema; what it refuses does not, as far as a single file shows it. The result is
// nil if there is no such kind.
func Schema(name string, checks []CheckSchema) *jsonschema.Doc {
	for _, k := range FileKinds() {
		if k.Name == name {
			return k.schema(checks)
		}
	}
	return nil
}

func (k *FileKind) schema(checks []CheckSchema) *jsonschema.Doc {
	w := newSchemaWriter(checks)
	switch k.Keys {
	case keys.Table(promptFields), keys.Table(packFields), keys.Table(arenaFields):
		w.guards = true
	}
	root := &jsonschema.Doc{}
	switch {
	case k.Kind != "":
		root.If = oneOf("kind", "apiVersion", "spec")
		root.Then = w.envelope(k)
		root.Else = w.bare(k.Keys)
	case k.Keys == keys.Table(mockFileFields): // other tools wrap these too
		root.If = jsonschema.Requires("spec")
		root.If.Not = jsonschema.Requires("scenarios")
		root.Then = property("spec", w.values(k))
		root.Else = w.bare(k.Keys)
	default:
		root = w.bare(k.Keys)
	}
	root.Dialect = jsonschema.Dialect
	root.Title, root.Description = "arena "+k.Name, "Describes "+k.About+"."
	root.Defs = w.defs
	return asWritten(root)
}

// envelope is the outer map with the values below spec.
func (w *schemaWriter) envelope(k *FileKind) *jsonschema.Doc {
	outer := w.object(envelopeFields)
	outer.Properties["kind"] = &jsonschema.Doc{Const: k.Kind, Description: "What the file describes: " + k.Kind + "."}
	outer.Properties["spec"] = w.values(k)
	outer.Required = []string{"kind", "spec"}
	return outer
}

// values are the values below spec.
func (w *schemaWriter) values(k *FileKind) *jsonschema.Doc {
	d := *k.Keys.Schema(w)
	d.Description = strings.ToUpper(k.About[:1]) + k.About[1:] + "."
	return &d
}

// schemaKeyDoc describes the key $schema.
const schemaKeyDoc = "The JSON Schema of the file, for editors."

// bare is the values without an envelope. A file may name its schema beside them.
func (w *schemaWriter) bare(values keys.Table) *jsonschema.Doc {
	alone := w.object(values)
	schema := ofType("string")
	schema.Description = schemaKeyDoc
	alone.Properties["$schema"] = schema
	return alone
}
