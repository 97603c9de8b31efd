package scenario_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

// TestOwnerFromAnywhere: a scenario runs in the project that lists it, whatever the working directory and however
// scenario and config name the files; there is no message about unlisted files.
func TestOwnerFromAnywhere(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		"scenarios/s.yaml", "./scenarios/s.yaml", "scenarios/../scenarios/s.yaml", "scenarios/*.yaml", "scenarios/s*",
		"scenarios/[s].yaml", "scenarios/?.yaml", "./scenarios/*.yaml", "scen*/s.yaml", "scenarios/**/*.yaml", "**/s.yaml",
		"ABS/scenarios/s.yaml", "ABS/scenarios/*.yaml", "linked/s.yaml", "linked/*.yaml",
	} {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			named := pattern
			if len(pattern) > 3 && pattern[:3] == "ABS" {
				named = root + "/p" + pattern[3:]
			}
			for name, text := range map[string]string{
				"p/config.arena.yaml":       "kind: Arena\nmetadata: {name: x}\nspec: {scenarios: ['" + named + "']}\n",
				"p/scenarios/s.yaml":        hello,
				"p/scenarios/deep/x.md":     "no",
				"p/tools/x.md":              "no",
				"p/own/x/config.arena.yaml": "kind: Arena\nmetadata: {name: y}\nspec: {scenarios: []}\n",
			} {
				write(t, filepath.Join(root, name), []byte(text))
			}
			if runtime.GOOS == "windows" {
				t.Skip("links need rights there")
			}
			for name, to := range map[string]string{"p/linked": "scenarios", "away": "p/scenarios", "p2": "p"} {
				if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
					t.Fatal(err)
				}
			}
			for _, cwd := range []string{
				"", "p", "p/scenarios", "p/scenarios/deep", "p/tools", "p2", "p2/scenarios", "p/own/x",
			} {
				dir := filepath.Join(root, cwd)
				rel := func(path string) string {
					out, err := filepath.Rel(dir, filepath.Join(root, path))
					if err != nil {
						t.Fatal(err)
					}
					return out
				}
				abs := filepath.Join(root, "p/scenarios/s.yaml")
				for _, opts := range []scenario.Options{
					{Paths: []string{rel("p/scenarios/s.yaml")}},
					{Paths: []string{"./" + rel("p/scenarios/s.yaml")}},
					{Paths: []string{rel("p/scenarios")}},
					{Paths: []string{rel("p/scenarios") + "/*.yaml"}},
					{Paths: []string{rel("p/scenarios/../scenarios/s.yaml")}},
					{Paths: []string{abs}},
					{Paths: []string{filepath.Dir(abs)}},
					{Paths: []string{filepath.Dir(abs) + "/*.yaml"}},
					{Paths: []string{rel("p/linked/s.yaml")}},
					{Paths: []string{rel("away/s.yaml")}},
					{Paths: []string{filepath.Join(root, "away/s.yaml")}},
					{Paths: []string{rel("p2/scenarios/s.yaml")}},
					{Paths: []string{rel("p/scenarios/s.yaml"), abs, rel("p2/scenarios/s.yaml")}},
					{Config: rel("p/config.arena.yaml")},
					{Config: rel("p")},
					{Config: filepath.Join(root, "p/config.arena.yaml")},
					{Config: filepath.Join(root, "p/scenarios/../config.arena.yaml")},
					{Config: rel("p/config.arena.yaml"), Paths: []string{rel("p/scenarios/s.yaml")}},
					{Config: rel("p/config.arena.yaml"), Paths: []string{abs}},
					{Config: filepath.Join(root, "p/config.arena.yaml"), Paths: []string{rel("p/scenarios/s.yaml")}},
					{Config: rel("p2/config.arena.yaml"), Paths: []string{rel("p/scenarios/s.yaml")}},
					{Paths: []string{rel("p/config.arena.yaml"), rel("p/scenarios/s.yaml")}},
					{Paths: []string{rel("p")}},
				} {
					opts.Dir = dir
					inProject(t, root, opts)
				}
			}
		})
	}
}

// inProject loads the options: they must give one scenario of one project, without messages.
func inProject(t *testing.T, root string, opts scenario.Options) {
	t.Helper()
	suite, diags := scenario.Load(opts)
	where, _ := filepath.Rel(root, opts.Dir)
	for _, d := range diags.Sorted() {
		t.Errorf("in %s, -c %s %v: %v", where, opts.Config, opts.Paths, d)
	}
	if suite == nil || len(suite.Projects) != 1 || suite.Projects[0].File == "" || len(suite.Projects[0].Scenarios) != 1 {
		t.Errorf("in %s, -c %s %v: runs %v", where, opts.Config, opts.Paths, ids(suite))
	}
}
