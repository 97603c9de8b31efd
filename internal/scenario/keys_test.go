package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// setting is a key at one place in a file.
type setting struct {
	root  *keyRoot
	path  []string // of the maps above it; "*" is an entry of a list, "" any key
	table keys.Table
	key   *keys.Key
}

func (s *setting) String() string {
	return fmt.Sprintf("%s: %s (%s)", s.root.name, strings.Join(append(slices.Clone(s.path), s.key.Name), "."), s.table.Title())
}

// keyRoot is a file whose keys are tried out.
type keyRoot struct {
	name  string
	file  string // of keyProject
	at    []string
	table keys.Table
}

func keyRoots() []keyRoot {
	spec := []string{"spec"}
	roots := []keyRoot{
		{"arena", "config.arena.yaml", spec, arenaFields}, {"scenario", "scenario.yaml", spec, scenarioFields},
		{"prompt", "prompt.yaml", spec, promptFields}, {"tool", "tool.yaml", spec, toolFields},
		{"persona", "persona.yaml", spec, personaFields}, {"eval", "eval.yaml", spec, recordingEvalFields},
		{"mock file", "mock.yaml", nil, mockFileFields}, {"pack", "pack.json", nil, packFields},
		{"fragment", "fragment.yaml", nil, fragmentFileFields},
		{"provider", "openai.yaml", spec, providerFields},
		{"settings of mocks", "mock-provider.yaml", []string{"spec", "additional_config"}, mockConfigFields},
		{"settings of replays", "replay.yaml", []string{"spec", "additional_config"}, replayFields},
		{"settings of programs", "command.yaml", []string{"spec", "additional_config"}, programFields},
	}
	for _, t := range ProviderTypes() {
		if name := t.Word + ".yaml"; t.settings != nil && keyProject[name] != "" {
			roots = append(roots, keyRoot{"settings of " + t.Word, name, []string{"spec", "additional_config"}, t.settings})
		}
	}
	return roots
}

// keyProject is a project with something of everything, in which keys are tried out.
var keyProject = map[string]string{
	"config.arena.yaml": `{"kind": "Arena", "metadata": {"name": "k"}, "spec": {
		"prompt_configs": [{"id": "support", "file": "prompt.yaml"}],
		"providers": [{"file": "openai.yaml"}, {"file": "mock-provider.yaml"}, {"file": "replay.yaml"},
			{"file": "anthropic.yaml"}, {"file": "gemini.yaml"}, {"file": "ollama.yaml"}, {"file": "vllm.yaml"},
			{"file": "command.yaml"}],
		"scenarios": ["scenario.yaml"], "tools": ["tool.yaml"], "evals": ["eval.yaml"], "pack_file": "pack.json",
		"judges": [{"name": "strict", "provider": "openai"}],
		"self_play": {"personas": ["persona.yaml"], "roles": [{"id": "buyer", "provider": "openai"}]}}}`,
	"scenario.yaml": `{"kind": "Scenario", "metadata": {"name": "s"}, "spec": {"task_type": "support",
		"turns": [{"role": "user", "content": "hi {size}"}]}}`,
	"prompt.yaml": `{"kind": "PromptConfig", "metadata": {"name": "p"}, "spec": {"task_type": "support",
		"system_template": "Help {{frag}}.", "fragments": [{"name": "frag", "path": "fragment.yaml", "required": true}]}}`,
	"fragment.yaml": `{"fragment_type": "text", "content": "well"}`,
	"tool.yaml":     `{"kind": "Tool", "metadata": {"name": "look"}, "spec": {"description": "d", "mode": "mock"}}`,
	"persona.yaml":  `{"kind": "Persona", "metadata": {"name": "angry"}, "spec": {"system_template": "Be."}}`,
	"eval.yaml":     `{"kind": "Eval", "metadata": {"name": "e"}, "spec": {"recording": {"path": "talk.json"}}}`,
	"mock.yaml":     `{"defaultResponse": "ok", "scenarios": {"s": {"defaultResponse": "hm"}}}`,
	"talk.json":     `{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]}`,
	"openai.yaml":   `{"kind": "Provider", "metadata": {"name": "openai"}, "spec": {"type": "openai", "model": "m"}}`,
	"mock-provider.yaml": `{"kind": "Provider", "metadata": {"name": "mocked"}, "spec": {"type": "mock", "model": "m",
		"additional_config": {"mock_config": "mock.yaml"}}}`,
	"anthropic.yaml": `{"kind": "Provider", "metadata": {"name": "anthropic"}, "spec": {"type": "anthropic", "model": "m"}}`,
	"gemini.yaml":    `{"kind": "Provider", "metadata": {"name": "gemini"}, "spec": {"type": "gemini", "model": "m"}}`,
	"ollama.yaml":    `{"kind": "Provider", "metadata": {"name": "ollama"}, "spec": {"type": "ollama", "model": "m"}}`,
	"vllm.yaml": `{"kind": "Provider", "metadata": {"name": "vllm"}, "spec": {"type": "vllm", "model": "m",
		"base_url": "http://localhost"}}`,
	"replay.yaml": `{"kind": "Provider", "metadata": {"name": "replay"}, "spec": {"type": "replay", "model": "m",
		"additional_config": {"recording": "talk.json"}}}`,
	"command.yaml": `{"kind": "Provider", "metadata": {"name": "own"}, "spec": {"type": "command",
		"additional_config": {"command": ["sh", "-c", "echo hi"]}}}`,
	"pack.json": `{"id": "pack", "name": "n", "version": "1.0.0", "template_engine": {"version": "v1", "syntax": "{{variable}}"},
		"prompts": {"other": {"id": "other", "name": "n", "version": "1.0.0", "system_template": "Hi."}}}`,
}

// settings lists every key that can stand in a file, each table at the first place where it is met.
func settings(root *keyRoot) (all []setting) {
	met := map[keys.Table]bool{}
	var walk func(f keys.Table, path []string)
	var into func(s keys.Shape, path []string)
	into = func(s keys.Shape, path []string) {
		switch s := s.(type) {
		case keys.Table:
			walk(s, path)
		case keys.List:
			into(s.Item, append(slices.Clone(path), "*"))
		case keys.Map:
			into(s.Value, append(slices.Clone(path), ""))
		}
	}
	walk = func(f keys.Table, path []string) {
		if met[f] {
			return
		}
		met[f] = true
		for _, k := range f.Keys() {
			all = append(all, setting{root, path, f, k})
			into(k.Shape, append(slices.Clone(path), k.Name))
		}
	}
	walk(root.table, nil)
	return all
}

// Every key has a reader, is told to have no effect, or says why neither is needed.
func TestEveryKeyHasAClass(t *testing.T) {
	t.Parallel()
	for _, root := range keyRoots() {
		for _, s := range settings(&root) {
			switch k := s.key; {
			case !k.Read && k.Idle == "" && k.Silence == 0:
				t.Errorf("%s is read by nobody: write why it has no effect (idle), or why nobody needs to know", &s)
			case k.Idle != "" && (k.Read || k.Silence != 0):
				t.Errorf("%s has no effect and yet a reader, or a reason to keep silent", &s)
			}
		}
	}
}

// keyTry loads the project with one of its files changed.
type keyTry struct {
	t   *testing.T
	dir string
}

// newKeyTry writes the project.
func newKeyTry(t *testing.T) *keyTry {
	t.Helper()
	k := &keyTry{t, t.TempDir()}
	for name, text := range keyProject {
		if err := os.WriteFile(filepath.Join(k.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

func (k *keyTry) load(root *keyRoot, doc any) (*Suite, []string) {
	k.t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		k.t.Fatal(err)
	}
	file := filepath.Join(k.dir, root.file)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		k.t.Fatal(err)
	}
	suite, diags := Load(Options{Dir: k.dir})
	if err := os.WriteFile(file, []byte(keyProject[root.file]), 0o600); err != nil {
		k.t.Fatal(err)
	}
	var said []string
	for _, d := range diags.Sorted() {
		said = append(said, d.Severity.String()+": "+d.Msg+" "+d.Hint)
	}
	return suite, said
}

// sameSuite compares what was loaded, but for the places in files.
func sameSuite(a, b *Suite) bool {
	return cmp.Equal(a, b, cmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.IgnoreTypes(diag.Pos{}),
		cmpopts.IgnoreFields(Project{}, "Getenv"),
		cmp.Transformer("node", func(n *node.Node) string {
			if n == nil {
				return ""
			}
			return string(node.AppendCanonical(nil, n))
		}))
}

// put builds the maps above a key into a document, with what they must have, and returns the innermost one.
func (s *setting) put(w *schemaWriter, doc map[string]any) map[string]any {
	at := doc
	for _, key := range s.root.at {
		if at[key] == nil {
			at[key] = map[string]any{}
		}
		at = at[key].(map[string]any)
	}
	table, shapeHere := s.root.table, keys.Shape(nil)
	var set func(any)
	cur := any(at)
	for _, step := range s.path {
		switch step {
		case "*":
			list, _ := cur.([]any)
			if len(list) == 0 {
				list = []any{nil}
			}
			shapeHere = shapeHere.(keys.List).Item
			set(list)
			cur, set = list[0], func(v any) { list[0] = v }
		case "":
			m, _ := cur.(map[string]any)
			if m == nil {
				m = map[string]any{}
			}
			shapeHere = shapeHere.(keys.Map).Value
			set(m)
			name := "sample"
			if table == keys.Table(mockScenarioFields) {
				name = "1" // a reply by its number
			}
			for _, known := range slices.Sorted(maps.Keys(m)) {
				name = known
			}
			cur, set = m[name], func(v any) { m[name] = v }
		default:
			m := cur.(map[string]any)
			if mode := keyMode[step]; mode != "" && table == keys.Table(toolFields) {
				m["mode"] = mode
			}
			if step == "predicate" {
				m["kind"] = "branch" // which is the kind of step that has one
			}
			shapeHere = keys.Find(step, table.Keys()).Shape
			cur, set = m[step], func(v any) { m[step] = v }
		}
		if f, ok := shapeHere.(keys.Table); ok {
			table = f
			m, _ := cur.(map[string]any)
			if m == nil {
				m = map[string]any{}
			}
			for _, k := range f.Keys() {
				if k.Required && m[k.Name] == nil {
					m[k.Name] = (&setting{s.root, nil, f, k}).sampleFor(w)
				}
			}
			maps.Copy(m, keyBeside(f, s.path))
			if f.Title() == "a predicate" && s.key.Name == "value" {
				m["path"], m["op"] = "${input.a}", "equals"
			}
			if f == keys.Table(agentFields) && (slices.Contains(s.path, "responses") || slices.Contains(s.path, "card")) {
				delete(m, "url") // it is a simulated one
				m["card"] = map[string]any{"name": "a", "description": "b", "skills": []any{
					map[string]any{"id": "sample", "name": "a", "description": "b"},
					map[string]any{"id": "other", "name": "a", "description": "b"},
				}}
			}
			set(m)
			cur = m
		}
	}
	return cur.(map[string]any)
}

// keyBeside is what stands beside the keys of some tables so that they mean something.
func keyBeside(f keys.Table, path []string) map[string]any {
	switch f {
	case keys.Table(serverFields):
		if slices.Contains(path, "source_args") {
			return map[string]any{"source": "docker"}
		}
		return map[string]any{"url": "http://127.0.0.1"}
	case keys.Table(agentFields):
		return map[string]any{"url": "http://127.0.0.1"}
	case keys.Table(stateFields):
		return map[string]any{"prompt_task": "support"}
	case keys.Table(skillFields):
		return map[string]any{"name": "a", "description": "b", "instructions": "c"}
	case keys.Table(contextPolicyFields):
		return map[string]any{"token_budget": 500}
	case keys.Table(retryFields):
		return map[string]any{"enabled": true}
	case keys.Table(fragmentFields):
		return map[string]any{"path": "nowhere.yaml"}
	case keys.Table(mockTurnFields):
		if slices.Contains(path, "one_of") {
			return nil // nothing stands beside it
		}
		return map[string]any{"audio_file": "talk.json"}
	case keys.Table(mockChoiceFields):
		return map[string]any{"audio_file": "talk.json", "chance": 1.0}
	case keys.Table(mediaFields):
		return map[string]any{"data": "aGk="}
	case keys.Table(mockPartFields), keys.Table(partFields):
		return map[string]any{"type": "image"}
	}
	return nil
}

// isTold reports whether a key is in a block that as a whole is refused or told to have no effect.
func (s *setting) isTold(with, bare *Suite, said []string) bool {
	if len(with.Projects[0].Later) > len(bare.Projects[0].Later) {
		return true
	}
	return slices.ContainsFunc(said, func(line string) bool {
		name, _, told := strings.Cut(strings.TrimPrefix(line, "warning: "), " has no effect")
		return told && slices.Contains(s.path, name)
	})
}

// keyMode is how the tools are called whose settings are tried out.
var keyMode = map[string]string{"http": "live", "exec": "exec", "client": "client"}

// Every key changes what is loaded, is refused, or is told to have no effect. Who writes one that does none of the
// three believes in a test that is not there.
func TestNoKeyIsIgnored(t *testing.T) {
	t.Parallel()
	for _, root := range keyRoots() {
		t.Run(root.name, func(t *testing.T) {
			t.Parallel()
			k := newKeyTry(t)
			w := newSchemaWriter(nil)
			w.Table(root.table)
			bare, bareSaid := k.load(&root, parsed(t, root.file))
			if len(bareSaid) > 0 {
				t.Fatalf("the project itself: %q", bareSaid)
			}
			if again, _ := k.load(&root, parsed(t, root.file)); !sameSuite(bare, again) {
				t.Fatal("what is the same is not seen to be")
			}
			for _, s := range settings(&root) {
				if s.key.Silence == keys.ForPeople || s.key.Silence == keys.ReadApart {
					continue
				}
				doc := parsed(t, root.file)
				at := s.put(w, doc)
				if mode := keyMode[s.key.Name]; mode != "" && s.table == keys.Table(toolFields) {
					at["mode"] = mode
				}
				delete(at, s.key.Name)
				before, saidBefore := k.load(&root, doc)
				if s.key.Required || s.key.Silence == keys.InBlock || s.isTold(before, bare, saidBefore) {
					before, saidBefore = bare, bareSaid
				}
				value := s.sampleFor(w)
				if reflect.DeepEqual(value, map[string]any{}) || slices.Contains(s.key.Usual, fmt.Sprint(value)) {
					continue // says nothing, or what is done anyway
				}
				at[s.key.Name] = value
				after, said := k.load(&root, doc)
				if s.key.Later != "" && !lacksSomething(after) {
					t.Errorf("%s is said to need %s, and is refused nowhere", &s, s.key.Later)
				}
				if slices.Equal(said, saidBefore) && sameSuite(before, after) {
					t.Errorf("%s: %v does nothing, and nothing is said", &s, value)
				}
				for _, problem := range said {
					if _, whole := value.(map[string]any); whole {
						continue // its keys are tried out one by one
					}
					if strings.Contains(problem, "must be") || strings.Contains(problem, "expected") {
						t.Errorf("%s: %v is no sample: %s", &s, value, problem)
					}
				}
			}
		})
	}
}

// lacksSomething reports whether a suite asks for something that this version does not have.
func lacksSomething(s *Suite) bool {
	p := s.Projects[0]
	return len(p.Later) > 0 || slices.ContainsFunc(p.Scenarios, func(s *Scenario) bool { return s.Skip != "" }) ||
		slices.ContainsFunc(p.Handlers, func(h *Handler) bool { return h.Later != "" })
}

func parsed(t *testing.T, file string) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(keyProject[file]), &doc); err != nil {
		t.Fatal(file, err)
	}
	return doc
}
