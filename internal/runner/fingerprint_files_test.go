package runner_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// resources is a project with every kind of file that affects trials.
var resources = map[string]string{
	"config.arena.yaml": `kind: Arena
metadata: {name: library}
spec:
  prompt_configs: [{id: desk, file: prompts/desk.yaml, vars: {house: Central}}]
  providers: [{file: providers/small.yaml}, {file: providers/judge.yaml, group: judges}]
  scenarios: [{file: scenarios/borrow.yaml}]
  tools: [{file: tools/find.yaml}]
  judges: [{name: strict, provider: judge}]
  judge_defaults: {prompt: desk}
  globals: {conversation_assertions: [{type: content_excludes, params: {patterns: [shelf]}}]}
  pack_evals:
    - {id: kind, type: contains, trigger: every_turn, threshold: {min_score: 0.5}, params: {patterns: [May]}}
  defaults:
    temperature: 0.2
    max_tokens: 300
    seed: 7
    concurrency: 4
    run_timeout: 2m
    on_failure: stop
    output: {dir: out}
`,
	"prompts/desk.yaml": `kind: PromptConfig
metadata: {name: desk}
spec:
  task_type: desk
  version: v1.0.0
  description: The desk
  system_template: "You work at {{house}} library, open {{hours}}. {{rules}}"
  variables:
    - {name: house, required: true}
    - {name: hours, required: false, default: 9 to 5}
  fragments: [{name: rules, required: true, path: rules.md}]
  allowed_tools: [find_book]
  parameters: {temperature: 0.3, max_tokens: 200}
  model_overrides: {tiny: {system_template_suffix: " Be short.", parameters: {max_tokens: 50}}}
  validators: [{type: banned_words, params: {words: [darn]}}]
`,
	"prompts/rules.md": "Be kind.\n",
	"providers/small.yaml": `kind: Provider
metadata: {name: small}
spec:
  id: small
  type: mock
  model: tiny
  additional_config: {mock_config: replies.yaml}
  pricing: {input_cost_per_1k: 0.001, output_cost_per_1k: 0.002}
  rate_limit: {rps: 5, burst: 10}
  defaults: {temperature: 0, max_tokens: 100}
`,
	"providers/judge.yaml": `kind: Provider
metadata: {name: judge}
spec: {id: judge, type: mock, model: big, additional_config: {mock_config: replies.yaml}}
`,
	"replies.yaml": `defaultResponse: Well
scenarios:
  borrow:
    defaultResponse: Anything else?
    turns:
      1: {tool_calls: [{name: find_book, arguments: {title: Emma}}]}
      2: "We have it."
      3: {content: "Until May.", latency_ms: 20}
judges: {strict: {defaultResponse: '{"passed": true, "score": 1}'}}
`,
	"scenarios/borrow.yaml": `kind: Scenario
metadata: {name: borrow, labels: {tier: gold}}
spec:
  id: borrow
  description: A reader wants a book
  task_type: desk
  tags: [smoke]
  timeout: 90s
  trials: 2
  variables: {title: Emma}
  context_metadata: {domain: books, user_role: reader}
  tool_policy: {tool_choice: auto, max_tool_calls_per_turn: 2, max_total_tool_calls: 4}
  turns:
    - role: user
      content: Do you have {{title}} in {lang}?
      perturbations: {lang: [German, French]}
      assertions:
        - {type: contains, message: has it, params: {patterns: [have it], case_sensitive: true}}
        - {type: tools_called, params: {tools: [find_book]}, when: {min_tool_calls: 1}}
        - {type: llm_judge, params: {criteria: Is it kind, judge: strict, min_score: 0.5}}
    - role: user
      content: Until when?
      assertions: [{type: max_length, pass_threshold: 0.5, params: {max: 90}}]
  conversation_assertions: [{type: contains, params: {patterns: [May]}}]
`,
	"tools/find.yaml": `kind: Tool
metadata: {name: find_book}
spec:
  name: find_book
  description: Finds a book
  mode: mock
  timeout_ms: 100
  input_schema: {type: object, properties: {title: {type: string}, year: {type: integer}}, required: [title]}
  mock_result: {shelf: 3, row: 4}
`,
}

// insignificant are values that do not affect a trial, by the end of their path.
var insignificant = []string{
	"kind", "defaults.concurrency", "output.dir", "rate_limit.rps", "rate_limit.burst",
	"fragments.0.required", // it is there
}

// prints returns the fingerprints of all trials of a project, by id; nil when its files have errors.
func prints(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	config := "config.arena.yaml"
	for name := range files {
		if filepath.Base(name) == config {
			config = name
		}
	}
	suite, diags := checks.Load(scenario.Options{Config: filepath.Join(dir, config)})
	if diags.Errors() > 0 {
		return nil
	}
	clients := &harness.Clients{Jobs: 1}
	plan := runner.Make(suite, runner.PlanOptions{Jobs: 1, Open: clients.Open}, diags)
	if diags.Errors() > 0 {
		return nil
	}
	of := runner.NewFingerprints(&runner.Options{})
	out := map[string]string{}
	for t := range plan.All() {
		out[t.ID()] = of.Of(t)
	}
	return out
}

// scalars calls f with every value of a document, and with its path.
func scalars(n *node.Node, path string, f func(n *node.Node, path string)) {
	switch n.Kind {
	case node.Map:
		for i := 0; i+1 < len(n.Content); i += 2 {
			scalars(n.Content[i+1], strings.TrimPrefix(path+"."+n.Content[i].Value, "."), f)
		}
	case node.List:
		for i, v := range n.Content {
			scalars(v, fmt.Sprintf("%s.%d", path, i), f)
		}
	case node.Scalar:
		f(n, path)
	}
}

func document(t *testing.T, name, text string) *node.Node {
	t.Helper()
	r := &node.Reader{File: name, Diags: &diag.List{}}
	docs := node.Parse(r, []byte(text))
	if len(docs) != 1 {
		t.Fatalf("%s: %v", name, r.Diags.Sorted())
	}
	return docs[0]
}

func written(t *testing.T, n *node.Node) string {
	t.Helper()
	text, err := node.Text(n)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// other is another value of the same kind.
func other(n *node.Node) string {
	switch f, err := strconv.ParseFloat(n.Value, 64); {
	case n.ShortTag() == "!!bool" && n.Value == "true":
		return "false"
	case n.ShortTag() == "!!bool":
		return "true"
	case n.ShortTag() == "!!float":
		return strconv.FormatFloat(f+0.125, 'g', -1, 64)
	case err == nil:
		return strconv.FormatFloat(f+1, 'g', -1, 64)
	case strings.HasSuffix(n.Value, "s") || strings.HasSuffix(n.Value, "m"):
		return "3" + n.Value
	}
	return n.Value + "x"
}

// TestEveryValueDecides changes every value of every file, one at a time. A change that loads without errors changes
// the fingerprint of at least one trial.
func TestEveryValueDecides(t *testing.T) {
	t.Parallel()
	want := prints(t, resources)
	if len(want) != 4 {
		t.Fatalf("trials: %v", want)
	}
	changed := 0
	try := func(name, path, text string) {
		files := maps.Clone(resources)
		files[name] = text
		got := prints(t, files)
		if got == nil {
			return // refused
		}
		changed++
		decides := !slices.ContainsFunc(insignificant, func(end string) bool { return path == end || strings.HasSuffix(path, "."+end) })
		if maps.Equal(got, want) == decides {
			t.Errorf("%s: %s: changed: %v, decides: %v", name, path, !decides, decides)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		if filepath.Ext(name) != ".yaml" {
			try(name, "", resources[name]+"More.\n")
			continue
		}
		count := 0
		scalars(document(t, name, resources[name]), "", func(*node.Node, string) { count++ })
		for at := range count {
			doc, i, path := document(t, name, resources[name]), -1, ""
			scalars(doc, "", func(n *node.Node, where string) {
				if i++; i == at {
					n.Value, path = other(n), where
				}
			})
			try(name, path, written(t, doc))
		}
	}
	if changed < 60 {
		t.Errorf("only %d changes were accepted", changed)
	}
}

// TestLayoutDecidesNothing: comments, styles, the order of keys and the places of files.
func TestLayoutDecidesNothing(t *testing.T) {
	t.Parallel()
	want := prints(t, resources)
	turned, commented, moved := map[string]string{}, map[string]string{}, map[string]string{}
	for name, text := range resources {
		turned[name], commented[name], moved[filepath.Join("deep/er", name)] = text, text, text
		if filepath.Ext(name) == ".yaml" {
			doc := document(t, name, text)
			turn(doc)
			turned[name] = written(t, doc)
			commented[name] = "# first\n\n" + strings.ReplaceAll(text, "\n", " # why\n")
		}
	}
	elsewhere := maps.Clone(resources)
	delete(elsewhere, "scenarios/borrow.yaml")
	elsewhere["books/deep/b.yaml"] = resources["scenarios/borrow.yaml"]
	elsewhere["config.arena.yaml"] = strings.Replace(resources["config.arena.yaml"], "scenarios/borrow.yaml", "books/deep/b.yaml", 1)
	for name, files := range map[string]map[string]string{
		"order of keys": turned, "comments": commented, "folder": moved, "file": elsewhere,
	} {
		if got := prints(t, files); !maps.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// turn reverses the order of all keys, but not of lists.
func turn(n *node.Node) {
	if n.Kind == node.Map {
		pairs := slices.Collect(slices.Chunk(slices.Clone(n.Content), 2))
		slices.Reverse(pairs)
		n.Content = slices.Concat(pairs...)
	}
	for _, v := range n.Content {
		turn(v)
	}
}
