package scenario_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// schemas compiles all of them.
func schemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	all := map[string]*jsonschema.Schema{}
	for _, k := range scenario.SchemaKinds() {
		raw, err := json.Marshal(scenario.Schema(k.Name, checks.Schemas()))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := chat.DecodeJSON(raw)
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("schema.json", doc); err != nil {
			t.Fatal(err)
		}
		if all[k.Name], err = c.Compile("schema.json"); err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
	}
	return all
}

// fits validates the documents of a file that have a schema, whose names it returns, and keeps the first problem.
func fits(all map[string]*jsonschema.Schema, file string, data []byte) (names []string, problem error) {
	var problems diag.List
	r := &node.Reader{File: file, Diags: &problems}
	for _, root := range node.Parse(r, data) {
		name := scenario.SchemaFor(root)
		if all[name] == nil {
			continue
		}
		names = append(names, name)
		if err := all[name].Validate(r.Any(root)); err != nil && problem == nil {
			problem = err
		}
	}
	return names, problem
}

func isDocument(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name))
}

// compileCheck returns the real compiler of checks.
func compileCheck() func(*scenario.Check, *diag.List) {
	compiler := &checks.Compiler{}
	return func(c *scenario.Check, d *diag.List) { compiler.Compile(c, d) }
}

// errorsOf are the codes of the errors in each file.
func errorsOf(opts scenario.Options) map[string][]string {
	opts.Compile = compileCheck()
	_, diags := scenario.Load(opts)
	found := map[string][]string{}
	for _, p := range diags.Sorted() {
		if p.Severity == diag.Error {
			found[p.Pos.File] = append(found[p.Pos.File], p.Code)
		}
	}
	return found
}

// projects are the folders of valid files: our own, and a corpus beside the repository if it exists.
func projects(t *testing.T) []string {
	t.Helper()
	root := filepath.Join("..", "..")
	folders := []string{
		filepath.Join(root, "scenarios", "shop"), filepath.Join(root, "scenarios", "desk"),
		filepath.Join(root, "testdata", "shop-failing"),
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		others, err := filepath.Glob(filepath.Join(dir, "shared", "compat", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range others {
			if info, err := os.Stat(folder); err == nil && info.IsDir() {
				folders = append(folders, folder)
			}
		}
	}
	return folders
}

// TestSchemasTakeWhatLoads: a file without problems fits its schema.
func TestSchemasTakeWhatLoads(t *testing.T) {
	t.Parallel()
	all, seen := schemas(t), map[string]int{}
	for _, folder := range projects(t) {
		wrong := errorsOf(scenario.Options{Dir: folder})
		err := fs.WalkDir(os.DirFS(folder), ".", func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !isDocument(file) || wrong[file] != nil {
				return err
			}
			data, err := os.ReadFile(filepath.Join(folder, file))
			if err != nil {
				return err
			}
			names, problem := fits(all, file, data)
			if problem != nil {
				t.Errorf("%s: %v", filepath.Join(folder, file), problem)
			}
			for _, name := range names {
				seen[name]++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"arena", "mock", "prompt", "provider", "scenario", "tool"} {
		if seen[name] == 0 {
			t.Errorf("no file of kind %s was looked at", name)
		}
	}
	t.Logf("looked at %v", seen)
}

func TestSchemasTakeTheGoodCorpus(t *testing.T) {
	t.Parallel()
	all, seen := schemas(t), map[string]bool{}
	for _, path := range archives(t, "good") {
		c := readCase(t, path)
		wrong := errorsOf(c.opts)
		for _, f := range c.archive.Files {
			if !isDocument(f.Name) || wrong[f.Name] != nil { // their checks are not those of the real table
				continue
			}
			names, problem := fits(all, f.Name, f.Data)
			if problem != nil {
				t.Errorf("%s: %s: %v", filepath.Base(path), f.Name, problem)
			}
			for _, name := range names {
				seen[name] = true
			}
		}
	}
	for _, name := range []string{"arena", "eval", "persona", "prompt"} {
		if !seen[name] {
			t.Errorf("no document of kind %s was looked at", name)
		}
	}
}

// visible are the codes of mistakes that a schema can find. An unknown check may be declared in another file.
var visible = []string{
	"missing-field", "missing-parameter", "out-of-range", "removed-field", "unknown-field", "unknown-parameter",
	"unknown-value", "unknown-version", "wrong-type",
}

// TestSchemasRefuseTheErrCorpus: schemas refuse the mistakes that they can find.
func TestSchemasRefuseTheErrCorpus(t *testing.T) {
	t.Parallel()
	all, refused := schemas(t), 0
	for _, path := range archives(t, "err") {
		c := readCase(t, path)
		wrong := errorsOf(c.opts)
		for _, f := range c.archive.Files {
			names, problem := fits(all, f.Name, f.Data)
			sees := slices.ContainsFunc(wrong[f.Name], func(code string) bool { return slices.Contains(visible, code) })
			switch {
			case !isDocument(f.Name) || len(names) == 0:
			case sees && problem == nil:
				t.Errorf("%s: %s fits, though it has %v", filepath.Base(path), f.Name, wrong[f.Name])
			case !sees && len(wrong[f.Name]) == 0 && problem != nil && !c.opts.Lenient:
				t.Errorf("%s: %s does not fit: %v", filepath.Base(path), f.Name, problem)
			case sees:
				refused++
			}
		}
	}
	if refused < 30 {
		t.Errorf("only %d files were refused", refused)
	}
}

// TestSchemaTexts: descriptions of keys are sentences.
func TestSchemaTexts(t *testing.T) {
	t.Parallel()
	problems, found := scenario.SchemaTextProblems()
	for _, problem := range problems {
		t.Error(problem)
	}
	if found < 150 {
		t.Errorf("only %d keys say what they are for", found)
	}
}

func TestSchemaOfNoKind(t *testing.T) {
	t.Parallel()
	if s := scenario.Schema("scenarios", nil); s != nil {
		t.Errorf("%v", s)
	}
	if s := scenario.Schema("scenario", nil); s.Title != "arena scenario" {
		t.Errorf("without checks: %v", s.Title)
	}
}

// TestSchemaPlaces: rules beyond the shapes of fields.
func TestSchemaPlaces(t *testing.T) {
	t.Parallel()
	all := schemas(t)
	const banned = "task_type: a\nsystem_template: Hi.\nvalidators:\n  - type: banned_words\n    params: "
	const turn = "kind: Scenario\nspec:\n  turns:\n    - "
	judged := func(check string) string { return turn + "{role: user, content: hi, assertions: [" + check + "]}" }
	provider := func(values string) string { return "kind: Provider\nspec: {" + values + "}" }
	tool := func(values string) string { return "kind: Tool\nspec: {" + values + "}" }
	for _, tc := range []struct {
		name, text string
		fits       bool
	}{
		{"a turn in one line", turn + "{role: user, content: hi}", true},
		{"a number for text", turn + "{role: user, content: 42}", true},
		{"a turn without words", turn + "{role: user}", false},
		{"a turn of self-play", turn + "{role: buyer, persona: angry}", true},
		{"nobody to play it", turn + "{role: buyer}", false},
		{"the wrong role", turn + "{role: assistant, persona: angry}", false},
		{"no schema is meant by it", `{"$schema": "s.json", "turns": [{"role": "user", "content": "hi"}]}`, true},
		{"a check", judged("{type: contains, params: {patterns: x}}"), true},
		{"a number in a list of text", judged("{type: contains, params: {patterns: [4]}}"), true},
		{"spoken booleans", turn + "{role: user, content: hi, streaming: yes}", true},
		{"a misspelt parameter", judged("{type: contains, params: {pattern: x}}"), false},
		{"a missing parameter", judged("{type: contains}"), false},
		{"no parameters", judged("{type: json_valid, params: }"), true},
		{"a program", judged("{type: polite, params: {any: thing}}"), true},
		{"the long spelling", judged("{type: assertion, params: {eval_type: json_valid}}"), true},
		{"the long spelling of nothing", judged("{type: assertion}"), false},
		{"a check in another", judged("{type: not, params: {check: {type: contains, params: {patterns: x}, min_score: 1}}}"), true},
		{"a misspelt parameter in it", judged("{type: not, params: {check: {type: contains, params: {pattern: x}}}}"), false},
		{"a program in it", judged("{type: all_of, params: {checks: [{type: polite}]}}"), true},
		{"deeper", judged("{type: any_of, params: {checks: [{type: not, params: {check: {type: json_valid}}}]}}"), true},
		{"a mistake deeper", judged("{type: any_of, params: {checks: [{type: not, params: {check: {type: regex}}}]}}"), false},
		{"a weight", judged("{type: weighted, params: {checks: [{type: json_valid, weight: 2}]}}"), true},
		{"a weight where none counts", judged("{type: all_of, params: {checks: [{type: json_valid, weight: 2}]}}"), false},
		{"its own share of trials", judged("{type: not, params: {check: {type: json_valid, pass_threshold: 1}}}"), false},
		{"replies to a turn", turn + "{role: user, content: hi, mock: [hello, {tool_calls: [{name: a, args: '{}'}]}]}", true},
		{"an empty reply", turn + "{role: user, content: hi, mock: {latency_ms: 3}}", false},
		{"a time span", turn + "{role: user, content: hi}\n  timeout: 1m30s", true},
		{"no time span", turn + "{role: user, content: hi}\n  timeout: 90", false},
		{"a guardrail", banned + "{words: [no], direction: input}", true},
		{"a guardrail that looks nowhere", banned + "{words: [no], direction: up}", false},
		{"a guardrail in the long spelling", "task_type: a\nsystem_template: Hi.\nvalidators:\n  - type: assertion\n    params: " +
			"{eval_type: banned_words, eval_params: {words: [no]}, direction: input}", true},
		{"a direction in a scenario", judged("{type: json_valid, params: {direction: input}}"), false},
		{"files alone", "kind: Arena\nspec: {scenarios: [a.yaml, {file: b.yaml}]}", true},
		{"written in the config", "kind: Arena\nspec: {scenario_specs: {a: {turns: [{role: user, content: hi}]}}}", true},
		{"written wrong in the config", "kind: Arena\nspec: {scenario_specs: {a: {turns: [{role: user, text: hi}]}}}", false},
		{"replies by number", "scenarios: {a: {turns: {1: hi, 2: {content: there}}}}", true},
		{"replies in a list", "scenarios: {a: {turns: [hi]}}", true},
		{"reply 0", "scenarios: {a: {turns: {0: hi}}}", false},
		{"a judge's only answer", "judges: {strict: fine}", true},
		{"a mock", provider("type: mock, additional_config: {mock_config: a.yaml}"), true},
		{"a mock with settings of others", provider("type: mock, additional_config: {api_mode: a}"), false},
		{"another with settings of its own", provider("type: openai, model: a, additional_config: {api_mode: completions}"), true},
		{"another with settings that nobody knows", provider("type: openai, model: a, additional_config: {api_mod: a}"), false},
		{"a tool as providers write it", tool("type: function, function: {name: a, parameters: {type: object}}"), true},
		{"a tool of a list", tool("description: a, input_schema: {type: array}"), false},
		{"nowhere to call", tool("description: a, mode: live"), false},
		{"an older key", provider("type: mock, impl: a"), false},
	} {
		names, problem := fits(all, "file.yaml", []byte(tc.text))
		if len(names) != 1 || (problem == nil) != tc.fits {
			t.Errorf("%s: %v: %v", tc.name, names, problem)
		}
	}
}
