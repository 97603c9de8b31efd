package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// named are the kinds of names in the project of namedProject, and of what its commands are told.
var named = []string{
	"PROJECT", "CONFIG", "FOLDER", "SCENARIO", "TAG", "PROVIDER", "MODEL", "PROMPT", "TOOL", "ARGUMENT", "VARIANT",
	"STATE", "EVENT", "EVAL", "OUT", "TAPES", "CACHE", "JUNIT", "SERIES",
	"MARK", "TEAM",
}

// namedProject is a project in which the words in capitals stand for names. One of its two scenarios fails.
var namedProject = map[string]string{
	"CONFIG.arena.yaml": `kind: Arena
metadata: {name: PROJECT}
spec:
  prompt_configs: [{id: PROMPT, file: FOLDER/p.yaml}]
  providers: [{file: FOLDER/m.yaml}]
  tools: [{file: FOLDER/t.yaml}]
  scenarios: [{file: FOLDER/a.yaml}, {file: b.yaml}]
  workflow:
    version: 1
    entry: STATE
    states:
      STATE: {prompt_task: PROMPT, on_event: {EVENT: done}}
      done: {prompt_task: PROMPT, terminal: true}
  pack_evals: [{id: EVAL, type: min_length, trigger: every_turn, params: {min: 1}}]
  defaults: {output: {recording: {enabled: true}}}
`,
	"FOLDER/p.yaml": "kind: PromptConfig\nspec: {task_type: PROMPT, system_template: Be kind., allowed_tools: [TOOL]}\n",
	"FOLDER/m.yaml": "kind: Provider\nspec: {id: PROVIDER, type: mock, model: MODEL}\n",
	"FOLDER/t.yaml": `kind: Tool
spec:
  name: TOOL
  description: d
  mode: mock
  input_schema: {type: object, properties: {ARGUMENT: {type: string}}}
  mock_result: {ok: true}
`,
	"FOLDER/a.yaml": `kind: Scenario
spec:
  id: SCENARIO
  task_type: PROMPT
  tags: [TAG]
  turns:
    - role: user
      content: "hi {who}"
      perturbations: {who: [VARIANT, friend]}
      mock: [{tool_calls: [{name: TOOL, arguments: {ARGUMENT: A1}}]}, hello]
      assertions: [{type: contains, params: {patterns: [hello]}}, {type: tools_called, params: {tools: [TOOL]}}]
`,
	"b.yaml": `kind: Scenario
spec:
  id: other
  task_type: PROMPT
  turns: [{role: user, content: hi, mock: bye, assertions: [{type: contains, params: {patterns: [hello]}}]}]
`,
}

// commands are run over it one after the other, with the exit status of each.
var namedCommands = []struct {
	status int
	words  string
}{
	{1, "run -c CONFIG.arena.yaml -o OUT --record TAPES --cache CACHE --junit-file JUNIT.xml " +
		"--metrics-file m.prom --metrics-namespace SERIES --metrics-label MARK=TEAM"},
	{1, "run --resume -o OUT"},
	{1, "run --last-failed -o OUT"},
	{1, "run -c CONFIG.arena.yaml --replay TAPES -o replayed"},
	{1, "rejudge OUT"},
	{0, "report OUT -o reported"},
	{0, "eval OUT/recordings -c CONFIG.arena.yaml -o judged"},
	{0, "generate OUT -o made"},
	{0, "mocks generate -i OUT -o mocks.yaml"},
	{0, "validate -c CONFIG.arena.yaml"},
}

// TestSecretInName plants the value of a variable in every kind of name. One that is spelled like a name is told, and
// all goes on as if it were no secret: no trial, recording or file is lost. With one that looks like a secret nothing
// is run, and nothing shows it.
func TestSecretInName(t *testing.T) {
	for _, kind := range named {
		t.Run(kind, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeNamed(t, kind, "customer")
			for _, command := range namedCommands {
				words := strings.Fields(fillNames(command.words, kind, "customer"))
				status, out := arenaWith(t, map[string]string{"SHOP_KEY": "customer"}, words)
				if status != command.status || strings.Contains(out, "redacted") {
					t.Fatalf("arena %s: exit status %d, want %d\n%s", words, status, command.status, out)
				}
			}
			if logs, _ := filepath.Glob(fillNames("OUT/recordings/*.jsonl", kind, "customer")); len(logs) != 3 {
				t.Errorf("there are %d recordings: %q", len(logs), logs)
			}
			eachFile(t, func(path, text string) {
				if strings.HasSuffix(path, ".part") || strings.Contains(text, "[redacted]") {
					t.Errorf("%s: a recording did not end, or something was taken out:\n%s", path, text)
				}
			})
			status, out := arenaWith(t, map[string]string{"SHOP_KEY": "customer"},
				strings.Fields(fillNames("run --strict -o strict -c CONFIG.arena.yaml --cache CACHE "+
					"--record TAPES --junit-file JUNIT.xml --markdown-file OUT/results.md "+
					"--metrics-file m.prom --metrics-namespace SERIES --metrics-label MARK=TEAM", kind, "customer")))
			if status != 2 || !strings.Contains(out, "SHOP_KEY") {
				t.Errorf("with --strict: exit status %d\n%s", status, out)
			}
		})
	}
}

// TestSecretThatIsNoNameInName refuses names with what looks like a secret before anything is written.
func TestSecretThatIsNoNameInName(t *testing.T) {
	const value = "hunter2hunter2"
	for _, kind := range named {
		t.Run(kind, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeNamed(t, kind, value)
			before := filesHere(t)
			for _, env := range []map[string]string{{"MY_TOKEN": value}, nil} {
				if env == nil { // the file beside the config counts like the environment
					if err := os.WriteFile(".env", []byte("MY_TOKEN="+value+"\n"), 0o600); err != nil {
						t.Fatal(err)
					}
					before = append(before, ".env")
				}
				status, out := arenaWith(t, env, strings.Fields(fillNames(namedCommands[0].words, kind, value)))
				if status != 2 || !strings.Contains(out, "the value of the variable MY_TOKEN is a part of") ||
					strings.Contains(out, value) {
					t.Errorf("exit status %d\n%s", status, out)
				}
			}
			if now := filesHere(t); len(now) != len(before) {
				t.Errorf("there is %q, and was %q", now, before)
			}
		})
	}
}

// fillNames puts names for the words in capitals, with the value in those of one kind.
func fillNames(text, kind, value string) string {
	var pairs []string
	for _, k := range named {
		name := "plain"
		if k == kind {
			name = value
		}
		if name += "_" + strings.ToLower(k); k == "EVENT" {
			name = "Go" + strings.TrimSuffix(name, "_event")
		}
		pairs = append(pairs, k, name)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func writeNamed(t *testing.T, kind, value string) {
	t.Helper()
	for path, text := range namedProject {
		path = fillNames(path, kind, value)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(fillNames(text, kind, value)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func eachFile(t *testing.T, visit func(path, text string)) {
	t.Helper()
	for _, path := range filesHere(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		visit(path, string(data))
	}
}

func filesHere(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}
