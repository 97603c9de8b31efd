package scenario

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/keys"
)

// keyChoices are values of a tool that decide which of its other keys count.
var keyChoices = []struct {
	name  string
	put   map[string]any
	path  []string // of the keys that are tried
	table keys.Table
	idle  string // those without effect, beside what every choice reads
}{
	{"mock", map[string]any{"mode": "mock"}, nil, toolFields, "http exec client"},
	{"none", map[string]any{"mode": nil}, nil, toolFields, ""},
	{"client", map[string]any{"mode": "client"}, nil, toolFields, "http exec"},
	{"live", map[string]any{"mode": "live", "http": keyEndpoint("")}, nil, toolFields, "exec client " + keyAnswers},
	{"exec", map[string]any{"mode": "exec", "exec": map[string]any{"command": "ls"}}, nil, toolFields,
		"http client " + keyAnswers},
	{"GET", map[string]any{"mode": "live", "http": keyEndpoint("GET")}, []string{"http", "request"}, requestFields, keyBody},
	{"HEAD", map[string]any{"mode": "live", "http": keyEndpoint("HEAD")}, []string{"http", "request"}, requestFields, keyBody},
	{"DELETE", map[string]any{"mode": "live", "http": keyEndpoint("DELETE")}, []string{"http", "request"}, requestFields,
		keyBody},
	{"POST", map[string]any{"mode": "live", "http": keyEndpoint("POST")}, []string{"http", "request"}, requestFields, ""},
	{"media", map[string]any{"mode": "live", "http": map[string]any{"url": "http://127.0.0.1/x", "multimodal": map[string]any{
		"enabled": true}}}, []string{"http", "multimodal"}, keysBelow(httpFields, "multimodal"), ""},
	{"no media", map[string]any{"mode": "live", "http": map[string]any{"url": "http://127.0.0.1/x", "multimodal": map[string]any{
		"enabled": false}}}, []string{"http", "multimodal"}, keysBelow(httpFields, "multimodal"), "accept_types"},
	{"program", map[string]any{"mode": "exec", "exec": map[string]any{"command": "ls"}}, []string{"exec"}, execFields, "scope"},
	{"running program", map[string]any{"mode": "exec", "exec": map[string]any{"command": "ls", "runtime": "server"}},
		[]string{"exec"}, execFields, ""},
	{"PUT", map[string]any{"mode": "live", "http": keyEndpoint("PUT")}, []string{"http", "request"}, requestFields, ""},
}

// keysBelow is the table of the keys below a key.
func keysBelow(of keys.Table, name string) keys.Table {
	for _, k := range of.Keys() {
		if below, is := k.Shape.(keys.Table); is && k.Name == name {
			return below
		}
	}
	panic("there are no keys below " + name)
}

const (
	keyAnswers = "mock_result mock_result_file mock_template mock_template_file mock_parts"
	keyBody    = "body_mapping exclude static_body"
)

func keyEndpoint(method string) map[string]any {
	return map[string]any{"url": "http://127.0.0.1/x", "method": method}
}

// Whatever the mode of a tool is, each of its sections changes how it answers, or is told not to. A mock_result in a
// tool that is called for real would never be seen.
func TestNoSectionOfAToolIsIgnored(t *testing.T) {
	t.Parallel()
	roots := keyRoots()
	root := &roots[slices.IndexFunc(roots, func(r keyRoot) bool { return r.name == "tool" })]
	for _, c := range keyChoices {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := &keyTry{t, t.TempDir()}
			for name, text := range keyProject {
				if err := os.WriteFile(filepath.Join(k.dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			w := newSchemaWriter(nil)
			w.Table(root.table)
			for _, key := range c.table.Keys() {
				if chooses := c.put[key.Name] != nil || slices.Contains(c.path, "exec") && key.Name == "runtime" ||
					slices.Contains(c.path, "multimodal") && key.Name == "enabled"; key.Silence != 0 || key.Name == "mode" ||
					len(c.path) > 0 && chooses {
					continue
				}
				s := &setting{root, c.path, c.table, key}
				value := s.sampleFor(w)
				if key.Name == "mock_template" {
					value = "text"
				}
				doc := parsed(t, root.file)
				spec := doc["spec"].(map[string]any)
				maps.Copy(spec, c.put)
				maps.DeleteFunc(spec, func(_ string, v any) bool { return v == nil })
				s.putInto(doc, value)
				_, said := k.load(root, doc)
				told := slices.ContainsFunc(said, func(text string) bool {
					return strings.HasPrefix(text, "warning: "+key.Name+" has no effect") ||
						key.Name == "scope" && strings.Contains(text, "scope is for programs that keep running")
				})
				if idle := slices.Contains(strings.Fields(c.idle), key.Name); told != idle {
					t.Errorf("%s beside %v: told to have no effect: %v; said: %q", s, c.put, told, said)
				}
			}
		})
	}
}

// putInto sets a key, below the maps of its path.
func (s *setting) putInto(doc map[string]any, value any) {
	at := doc
	for _, name := range append(slices.Clone(s.root.at), s.path...) {
		below, _ := at[name].(map[string]any)
		if below = maps.Clone(below); below == nil {
			below = map[string]any{}
		}
		at[name], at = below, below
	}
	at[s.key.Name] = value
}
