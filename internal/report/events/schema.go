package events

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/result"
)

// Schema returns the JSON Schema (draft 2020-12) of one line.
func Schema() ([]byte, error) {
	b := &schemas{defs: object{}}
	line := b.members(EnvelopeFields())
	line["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	line["$id"] = "https://github.com/arena-evals/arena/events.schema.json"
	line["title"] = "event of arena"
	line["description"] = "One line of the stream of events of a run. Times that something took are in milliseconds."
	line["properties"].(object)["schema_version"].(object)["const"] = result.EventVersion
	var kinds []object
	for _, k := range Catalogue() {
		data := b.members(k.Fields())
		data["description"] = k.About
		b.defs[string(k.Name)] = data
		kinds = append(kinds, ofKind(&k))
	}
	line["oneOf"], line["$defs"] = kinds, b.defs
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(line)
	return text.Bytes(), err
}

// ofKind is the schema for the lines of one kind.
func ofKind(k *Kind) object {
	line := object{"properties": object{
		"type": object{"const": k.Name}, "data": object{"$ref": "#/$defs/" + string(k.Name)},
	}}
	switch k.Scope {
	case OfRun:
		line["properties"].(object)["trial"] = false
	case OfTrial:
		line["required"] = []string{"trial", "scenario", "provider"}
	case OfTurn:
		line["required"] = []string{"trial", "scenario", "provider", "turn"}
	}
	return line
}

type object = map[string]any

// schemas collects the definitions that fields share.
type schemas struct{ defs object }

// members is the schema of an object with these fields and no others.
func (b *schemas) members(fields []Field) object {
	properties, required := object{}, []string{}
	for i := range fields {
		f := &fields[i]
		properties[f.Name] = b.value(f)
		if !f.Optional {
			required = append(required, f.Name)
		}
	}
	return object{"type": "object", "additionalProperties": false, "required": required, "properties": properties}
}

func (b *schemas) value(f *Field) object {
	v := b.of(f.typ)
	if f.Nullable {
		if name, ok := v["type"].(string); ok {
			v["type"] = []string{name, "null"}
		}
	}
	v["description"] = f.Doc
	return v
}

func (b *schemas) of(t reflect.Type) object {
	if list := enums(t); list != nil {
		return object{"enum": list}
	}
	if t == reflect.TypeFor[time.Time]() {
		return object{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.of(t.Elem())
	case reflect.Struct:
		return b.shared(t)
	case reflect.Slice:
		return object{"type": "array", "items": b.of(t.Elem())}
	case reflect.Map:
		if t.Elem().Kind() == reflect.String {
			return object{"type": "object", "additionalProperties": object{"type": "string"}}
		}
		return object{"type": "object"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	default:
		return object{} // anything
	}
}

// shared returns a reference to the definition of a type, and adds the definition when it is missing.
func (b *schemas) shared(t reflect.Type) object {
	name := strings.ToLower(t.Name())
	if b.defs[name] == nil {
		b.defs[name] = object{} // ends the recursion of types that hold themselves
		b.defs[name] = b.members(fieldsOf(t))
	}
	return object{"$ref": "#/$defs/" + name}
}
