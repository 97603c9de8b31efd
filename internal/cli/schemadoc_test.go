package cli

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestSchemasDescribeEveryKey: whoever meets a key in an editor is told what it is for, in every format.
func TestSchemasDescribeEveryKey(t *testing.T) {
	t.Parallel()
	for _, kind := range schemaKinds() {
		raw, err := schemaOf(kind.Name)
		if err != nil {
			t.Fatal(err)
		}
		var root map[string]any
		if err := json.Unmarshal(raw, &root); err != nil {
			t.Fatal(err)
		}
		w := &describedKeys{root: root, seen: map[string]bool{}, missing: map[string]bool{}}
		w.walk(root, nil)
		if len(w.seen) == 0 && kind.Name == "arena" {
			t.Error("nothing was looked at")
		}
		for _, key := range slices.Sorted(maps.Keys(w.missing)) {
			t.Errorf("arena schema %s: nothing says what %s is", kind.Name, key)
		}
	}
}

// describedKeys walks through a schema. A rule about a key that is described beside it needs no description of its own.
type describedKeys struct {
	root    map[string]any
	seen    map[string]bool
	missing map[string]bool
}

// walk looks at a schema of a value; described are the keys of that value that other schemas of it describe.
func (w *describedKeys) walk(schema, described any) {
	s, ok := schema.(map[string]any)
	if !ok {
		return // true, false
	}
	known := map[string]bool{}
	if others, ok := described.(map[string]bool); ok {
		maps.Copy(known, others)
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		if v, ok := p.(map[string]any); ok && v["description"] != nil && v["description"] != "" {
			known[name] = true
		}
	}
	for name, p := range properties {
		if !known[name] {
			w.missing[name] = true
		}
		w.walk(p, nil)
	}
	if ref, ok := s["$ref"].(string); ok {
		w.follow(ref, known)
	}
	for _, key := range []string{"if", "then", "else", "not"} {
		w.walk(s[key], known)
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := s[key].([]any)
		for _, of := range list {
			w.walk(of, known)
		}
	}
	for _, key := range []string{"items", "additionalProperties", "propertyNames"} {
		w.walk(s[key], nil)
	}
}

// follow walks through a definition, once for each set of keys that are described where it is named.
func (w *describedKeys) follow(ref string, known map[string]bool) {
	name := strings.TrimPrefix(ref, "#/$defs/")
	visit := name + " " + strings.Join(slices.Sorted(maps.Keys(known)), " ")
	if w.seen[visit] {
		return
	}
	w.seen[visit] = true
	defs, _ := w.root["$defs"].(map[string]any)
	w.walk(defs[name], known)
}
