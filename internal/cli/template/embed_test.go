package template_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/cli/template"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	for service, pipeline := range map[string]string{"github": ".github/workflows/arena.yml", "gitlab": ".gitlab-ci.yml"} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			files, err := template.Project(service)
			if err != nil {
				t.Fatal(err)
			}
			wholeProject(t, files, pipeline)
		})
		if !slices.Contains(template.CI, service) {
			t.Errorf("%s is not in %q", service, template.CI)
		}
	}
	if files, err := template.Project("unknown"); err == nil {
		t.Errorf("%+v", files)
	}
}

func wholeProject(t *testing.T, files []template.File, pipeline string) {
	t.Helper()
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
	for _, want := range []string{".gitignore", pipeline, "config.arena.yaml", "README.md"} {
		if !slices.Contains(paths, want) {
			t.Errorf("%s is missing in %q", want, paths)
		}
	}
}
