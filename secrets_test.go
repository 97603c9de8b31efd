package arena_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena"
)

// TestRunWritesNoSecret has a model repeat a key of the project: no file of the results shows it.
func TestRunWritesNoSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"config.arena.yaml": `kind: Arena
metadata: {name: shop}
spec:
  scenarios: [{file: hello.yaml}]
  provider_specs:
    fake: {type: mock, model: m}
    real: {type: openai, model: m, credential: {api_key: key-1234567}}
  providers: []
`,
		"hello.yaml": `id: hello
description: Says what it knows
providers: [fake]
turns:
  - role: user
    content: What do you know?
    mock: [It is key-1234567.]
    assertions: [{type: contains, params: {patterns: [key-1234567]}}]
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	res, err := arena.Run(t.Context(), arena.Options{Dir: dir, Config: "config.arena.yaml", Out: "out"})
	if err != nil || res.ExitCode != 0 {
		t.Fatal(res, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "out", "*"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "key-1234567") {
			t.Errorf("%s shows the key", file)
		}
	}
}
