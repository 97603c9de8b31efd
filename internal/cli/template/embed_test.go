package template_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/cli/template"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	files, err := template.Files()
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
		if len(f.Data) == 0 || strings.HasPrefix(f.Path, "/") {
			t.Errorf("%q has %d bytes", f.Path, len(f.Data))
		}
	}
	if !slices.IsSorted(paths) {
		t.Errorf("not sorted: %q", paths)
	}
	for _, want := range []string{".gitignore", ".github/workflows/arena.yml", "config.arena.yaml", "README.md"} {
		if !slices.Contains(paths, want) {
			t.Errorf("%s is missing in %q", want, paths)
		}
	}
}
