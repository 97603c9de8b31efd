package scenario

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
)

// schemaWriter makes one schema. Each table of keys gets one place in its definitions.
type schemaWriter struct {
	checks []CheckSchema
	defs   map[string]*jsonschema.Doc
	tables map[keys.Table]string // names in defs
	guards bool                  // there may be validators, whose checks have a direction
}

func newSchemaWriter(checks []CheckSchema) *schemaWriter {
	return &schemaWriter{checks: checks, defs: map[string]*jsonschema.Doc{}, tables: map[keys.Table]string{}}
}

// Table refers to the definition of a table.
func (w *schemaWriter) Table(f keys.Table) *jsonschema.Doc {
	name, done := w.tables[f]
	if !done {
		name = w.name(f.Title())
		w.tables[f] = name
		w.defs[name] = nil // taken
		w.defs[name] = w.object(f)
	}
	return jsonschema.Refer(name)
}

// name makes a name for a definition: "a tool of a pack" is tool-of-a-pack.
func (w *schemaWriter) name(title string) string {
	for _, article := range []string{"a ", "an ", "the "} {
		title = strings.TrimPrefix(title, article)
	}
	base := strings.ReplaceAll(title, " ", "-")
	name := base
	for i := 2; ; i++ {
		if _, taken := w.defs[name]; !taken {
			return name
		}
		name = fmt.Sprintf("%s-%d", base, i)
	}
}

// object describes a map with the keys of a table.
func (w *schemaWriter) object(f keys.Table) *jsonschema.Doc {
	object := keys.Object(f.Keys(), f.Open(), func(k *keys.Key) *jsonschema.Doc {
		value := w.place(f, k)
		if k.Null {
			value = jsonschema.AnyOf(value, &jsonschema.Doc{Type: jsonschema.Types{"null"}})
		}
		return value
	})
	w.complete(f, object)
	return object
}

var spokenBooleans = []string{"yes", "no", "on", "off", "Yes", "No", "On", "Off", "YES", "NO", "ON", "OFF"}

// asWritten copies a schema so that it accepts values in YAML's forms: numbers and booleans for text, and the words of
// YAML 1.1 for booleans, which editors read as text.
func asWritten(d *jsonschema.Doc) *jsonschema.Doc {
	return d.Copy(func(c *jsonschema.Doc) {
		if len(c.Type) != 1 {
			return
		}
		switch c.Type[0] {
		case "string":
			if c.Pattern == "" {
				c.Type = jsonschema.Types{"string", "number", "boolean"}
			}
		case "boolean":
			c.Type = nil
			c.AnyOf = []*jsonschema.Doc{{Type: jsonschema.Types{"boolean"}}, {Enum: spokenBooleans}}
		}
	})
}
