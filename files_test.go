package arena_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena"
)

// inMemory is everything below a folder on disk.
func inMemory(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	tree := os.DirFS(dir)
	err := fs.WalkDir(tree, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files[path], err = fs.ReadFile(tree, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestFilesAreReadAsFromDisk: a project that is in memory alone is the same as on disk: its trials, its warnings, and,
// where something is wrong, every problem with its line.
func TestFilesAreReadAsFromDisk(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"scenarios/shop", "testdata/shop-failing", "testdata/gomodule/scenarios"} {
		whole := inMemory(t, dir)
		for name := range whole {
			t.Run(dir+" with a mistake in "+name, func(t *testing.T) {
				t.Parallel()
				part := inMemory(t, dir)
				part[name] = append(part[name], "\nnosuchfield: 1\n"...)
				disk := t.TempDir()
				if err := os.CopyFS(disk, os.DirFS(dir)); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(disk, name), part[name], 0o600); err != nil {
					t.Fatal(err)
				}
				want := loaded(arena.Options{Dir: disk, Paths: []string{"."}, Mock: true, Getenv: noEnv})
				got := loaded(arena.Options{Dir: t.TempDir(), Paths: []string{"."}, Files: part, Mock: true, Getenv: noEnv})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-disk +memory):\n%s", diff)
				}
			})
		}
		disk := loaded(arena.Options{Dir: dir, Paths: []string{"."}, Mock: true, Getenv: noEnv})
		if diff := cmp.Diff(disk, loaded(arena.Options{Dir: t.TempDir(), Files: whole, Mock: true, Getenv: noEnv})); diff != "" {
			t.Errorf("%s (-disk +memory):\n%s", dir, diff)
		}
	}
}

func noEnv(string) (string, bool) { return "", false }

// loaded says what comes of loading: trials and warnings, or what is wrong.
func loaded(opts arena.Options) (said []string) {
	s, err := arena.Load(opts)
	if err != nil {
		return strings.Split(err.Error(), "\n")
	}
	defer s.Close()
	for _, trial := range s.Trials() {
		said = append(said, trial.Position.String()+" "+trial.ID)
	}
	for _, w := range s.Warnings() {
		said = append(said, w.Position.String()+" "+w.Message)
	}
	return said
}

// TestFiles: what is in memory runs, beside files on disk and in their place, and is named by its own lines.
func TestFiles(t *testing.T) {
	t.Parallel()
	const says = "id: %\nturns:\n- {role: user, content: hi, mock: good day, assertions: " +
		"[{type: contains, params: {patterns: [good]}}]}\n"
	scenario := func(id string) string { return strings.Replace(says, "%", id, 1) }
	dir := files(t, "config.arena.yaml", "scenarios: [{file: a.yaml}]\n", "a.yaml", scenario("disk"), "more/b.yaml", scenario("b"))
	for name, c := range map[string]struct {
		opts arena.Options
		want []string
	}{
		"alone":        {arena.Options{Files: map[string][]byte{"x.yaml": []byte(scenario("x"))}}, []string{"x.yaml:1:5 x/mock/default"}},
		"in place of":  {arena.Options{Files: map[string][]byte{"a.yaml": []byte(scenario("memory"))}, Paths: []string{"config.arena.yaml"}}, []string{"a.yaml:1:5 memory/mock/default"}},
		"folder":       {arena.Options{Files: map[string][]byte{"more/c.yaml": []byte(scenario("c"))}, Paths: []string{"more"}}, []string{"more/b.yaml:1:5 b/mock/default", "more/c.yaml:1:5 c/mock/default"}},
		"pattern":      {arena.Options{Files: map[string][]byte{"more/c.yaml": []byte(scenario("c"))}, Paths: []string{"more/*.yaml"}}, []string{"more/b.yaml:1:5 b/mock/default", "more/c.yaml:1:5 c/mock/default"}},
		"deep pattern": {arena.Options{Files: map[string][]byte{"more/d/c.yaml": []byte(scenario("c"))}, Paths: []string{"more/**/*.yaml"}}, []string{"more/b.yaml:1:5 b/mock/default", "more/d/c.yaml:1:5 c/mock/default"}},
		"config":       {arena.Options{Files: map[string][]byte{"config.arena.yaml": []byte("scenarios: [{file: more/b.yaml}]\n")}}, []string{"more/b.yaml:1:5 b/mock/default"}},
		"named config": {arena.Options{Files: map[string][]byte{"a.yaml": []byte(scenario("memory"))}, Config: "config.arena.yaml"}, []string{"a.yaml:1:5 memory/mock/default"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.opts.Dir, c.opts.Mock, c.opts.Getenv = dir, true, noEnv
			var got []string
			for _, line := range loaded(c.opts) {
				if strings.HasSuffix(line, "/default") { // and no warning
					got = append(got, filepath.ToSlash(line))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestFilesWithMistakes: a problem names the line of the file in memory, and shows it.
func TestFilesWithMistakes(t *testing.T) {
	t.Parallel()
	_, err := arena.Run(t.Context(), arena.Options{Mock: true, Files: map[string][]byte{
		"refund.yaml": []byte("id: refund\nturns:\n  - role: user\n    content: hi\n    asserts: []\n"),
	}})
	wrong, ok := errors.AsType[*arena.ProblemsError](err)
	if !ok || wrong.Problems[0].Position.String() != "refund.yaml:5:5" || !strings.Contains(err.Error(), "    asserts: []") {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"", ".", "/abs.yaml", "../up.yaml", "a//b.yaml", "./a.yaml", "a/", `a/../b.yaml`} {
		_, err := arena.Load(arena.Options{Files: map[string][]byte{name: nil}})
		if err == nil || !strings.Contains(err.Error(), "Files[") {
			t.Errorf("Files[%q]: got %v", name, err)
		}
	}
	_, err = arena.Load(arena.Options{Files: map[string][]byte{"empty.yaml": nil}})
	if err == nil || !strings.Contains(err.Error(), `"empty.yaml" is empty`) {
		t.Errorf("an empty file: got %v", err)
	}
}
