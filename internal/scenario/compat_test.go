package scenario_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

const compatDir = "../../../shared/compat"

// TestCompat: real projects of another tool load, with what it ignores as warnings.
func TestCompat(t *testing.T) {
	t.Parallel()
	expected, err := filepath.Glob(filepath.Join(compatDir, "*", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(expected) == 0 {
		t.Skip("the corpus of real projects is not beside the repository")
	}
	for _, path := range expected {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			t.Parallel()
			loadCompat(t, path)
		})
	}
}

type compatProject struct {
	Patches     []compatPatch
	Invocations []struct {
		Name, Config string
		Args         []string
		Exit         *int
		Patches      []compatPatch
		ExtraFiles   map[string]string `json:"extra_files"`
		Runs         []any
	}
}

type compatPatch struct{ File, Find, Replace string }

func loadCompat(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var p compatProject
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	for _, inv := range p.Invocations {
		if len(inv.Runs) == 0 {
			continue // expected to be refused
		}
		dir := filepath.Join(t.TempDir(), "examples", "project")
		if err := os.CopyFS(dir, os.DirFS(filepath.Dir(path))); err != nil {
			t.Fatal(err)
		}
		for _, patch := range append(p.Patches, inv.Patches...) {
			file := filepath.Join(dir, patch.File)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			write(t, file, []byte(strings.ReplaceAll(string(text), patch.Find, patch.Replace)))
		}
		for name, text := range inv.ExtraFiles {
			write(t, filepath.Join(dir, name), []byte(text))
		}
		opts := scenario.Options{Dir: dir, Config: inv.Config, Lenient: true}
		for i, arg := range inv.Args {
			if arg == "--mock-config" {
				opts.MockConfig = inv.Args[i+1]
			}
		}
		suite, diags := scenario.Load(opts)
		if diags.Errors() > 0 {
			t.Errorf("%s:\n%s", inv.Name, render(t, dir, suite, diags))
		}
		if got := len(suite.Projects[0].Scenarios) + len(suite.Projects[0].Evals); got == 0 {
			t.Errorf("%s: nothing was loaded", inv.Name)
		}
	}
}
