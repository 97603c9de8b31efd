package cli_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/cli"
)

// writers are commands that leave files, by what is typed before the flags; none of their outputs is named but where
// there is no other way. They are run over the folder that writersProject makes.
var writers = map[string]string{
	"run":             "run hello.yaml -q",
	"eval":            "eval talk.json --assert assert.yaml -q",
	"rejudge":         "rejudge first -q",
	"merge":           "", // only where it is told to
	"report":          "report first -q",
	"generate":        "generate talk.json",
	"capture":         "capture -- echo hello",
	"mocks generate":  "mocks generate -i first -o made.yaml",
	"judge calibrate": "judge calibrate labels.jsonl --criteria Good --mock-provider --judge mock/m -o calibrated.json",
	"worker":          "", // writes metrics only, and needs a broker
}

const writersConfig = `kind: Arena
spec:
  provider_specs: {m: {type: mock}}
  providers: []
  scenario_specs: {hello: {description: Hi, turns: [{role: user, content: Hi, assertions: [{type: contains, params: {patterns: [a]}}]}]}}
  defaults:
    output: {dir: results, junit: {file: ci/junit.xml}, html: {file: ci/report.html}, markdown: {file: ci/results.md}}
`

func writersProject(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"hello.yaml":   "id: hello\nturns: [{role: user, content: Hi, mock: [Hello], assertions: [{type: contains, params: {patterns: [Hello]}}]}]\n",
		"talk.json":    `{"id": "talk", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}`,
		"assert.yaml":  "assertions: [{type: contains, params: {patterns: [Hello]}}]\n",
		"labels.jsonl": `{"id": "a", "text": "x", "label": "pass"}` + "\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, errs := (showing{args: "run hello.yaml --mock-provider -o first"}).run(t, "", false); !strings.Contains(out, "1 passed") {
		t.Fatalf("%s%s", out, errs)
	}
}

// TestNoCommandWritesOverAnother: after every command every other one that writes, with nothing said about its outputs,
// with settings that are meant for arena run, and with a config that says where they go.
func TestNoCommandWritesOverAnother(t *testing.T) {
	const settings = "out: results\njunit-file: ci/junit.xml\nhtml-file: ci/report.html\nmarkdown-file: ci/results.md\n" +
		"events: ci/events.jsonl\nmetrics-file: ci/metrics.prom\n"
	for name, files := range map[string]map[string]string{
		"plain": nil, "settings": {".arena.yaml": settings}, "config": {"config.arena.yaml": writersConfig},
	} {
		t.Run(name, func(t *testing.T) {
			for _, first := range slices.Sorted(maps.Keys(writers)) {
				writersProject(t)
				for file, text := range files {
					if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				write(t, first)
				for _, second := range slices.Sorted(maps.Keys(writers)) {
					if second == first {
						continue
					}
					before := tree(t)
					write(t, second)
					after := tree(t)
					for file, text := range before {
						if after[file] != text && !strings.HasSuffix(file, ".lock") {
							t.Errorf("arena %s has written over %s, after arena %s", second, file, first)
						}
					}
					if text := writers[second]; text != "" && second != "report" && maps.Equal(before, after) {
						t.Errorf("arena %s, after arena %s, wrote nothing", second, first)
					}
				}
			}
		})
	}
}

func write(t *testing.T, command string) {
	t.Helper()
	if args := writers[command]; args != "" {
		out, errs := (showing{args: args}).run(t, "", false)
		if strings.Contains(errs, "arena: ") {
			t.Errorf("arena %s: %s%s", args, out, errs)
		}
	}
}

func tree(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestEveryWriterIsTried: a new command that says where its output goes needs a line in the table.
func TestEveryWriterIsTried(t *testing.T) {
	t.Parallel()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		path := strings.TrimPrefix(c.CommandPath(), "arena ")
		for _, flag := range []string{"out", "events", "metrics-file", "junit-file"} {
			if _, known := writers[path]; c.Flags().Lookup(flag) != nil && !known {
				t.Errorf("arena %s, which has --%s, is not tried", path, flag)
			}
		}
	}
	walk(cli.Commands(&cli.App{}))
}
