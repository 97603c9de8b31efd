package scenario_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

var update = flag.Bool("update", false, "write what the corpus expects")

// testCase is one archive: files of a project, and options for loading them, which are lines "key: value" (config,
// mock, paths, env) or the word lenient in its comment.
type testCase struct {
	archive *txtar.Archive
	opts    scenario.Options
}

func readCase(t *testing.T, path string) *testCase {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &testCase{archive: archive, opts: scenario.Options{Dir: t.TempDir(), Compile: compile}}
	env := map[string]string{}
	c.opts.Getenv = func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for line := range strings.SplitSeq(string(archive.Comment), "\n") {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "config":
			c.opts.Config = value
		case "mock":
			c.opts.MockConfig = value
		case "paths":
			c.opts.Paths = strings.Fields(value)
		case "lenient":
			c.opts.Lenient = true
		case "env":
			name, v, _ := strings.Cut(value, "=")
			env[name] = v
		}
	}
	for _, f := range archive.Files {
		write(t, filepath.Join(c.opts.Dir, f.Name), f.Data)
	}
	return c
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// compile is a fake compiler of checks: it knows a few names and keeps them.
func compile(c *scenario.Check, d *diag.List) {
	known := []string{"banned_words", "contains", "latency_budget", "max_length", "regex", "tools_called"}
	for _, name := range known {
		if c.Type == name {
			c.Compiled = name
			return
		}
	}
	if c.Unknown = c.Early; c.Unknown {
		return
	}
	if h := c.Handlers[c.Type]; h != nil {
		c.Compiled = h.Type + " by " + h.Command
		return
	}
	for name := range c.Handlers {
		known = append(known, name)
	}
	d.Errorf(c.Pos, len(c.Type), "unknown-check", "unknown check %q", c.Type).Hint = diag.DidYouMean(c.Type, known)
}

// render prints problems as users see them.
func render(t *testing.T, dir string, suite *scenario.Suite, list *diag.List) string {
	t.Helper()
	var b strings.Builder
	diags := list.Sorted()
	read := func(file string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, file)) }
	if err := diag.Print(&b, diags, diag.PrintOptions{Read: read}); err != nil {
		t.Fatal(err)
	}
	if summary := diag.Summary(diags, suite.Files); summary != "" {
		b.WriteString("\n" + summary + "\n")
	}
	return b.String()
}

// documentsOf returns the files of an archive.
func documentsOf(tb testing.TB, path string) []string {
	tb.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var texts []string
	for _, f := range archive.Files {
		if f.Name != wantFile {
			texts = append(texts, string(f.Data))
		}
	}
	return texts
}

const wantFile = "want"

// TestCorpusErrors: every archive in testdata/err has exactly the problems in its last file.
func TestCorpusErrors(t *testing.T) {
	t.Parallel()
	for _, path := range archives(t, "err") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			c := readCase(t, path)
			suite, diags := scenario.Load(c.opts)
			got := render(t, c.opts.Dir, suite, diags)
			if got == "" {
				t.Fatal("no problem was found")
			}
			if strings.Contains(got, c.opts.Dir) {
				t.Errorf("the working directory is in the output:\n%s", got)
			}
			c.compare(t, path, got)
		})
	}
}

// TestCorpusGood: no archive in testdata/good has a problem, including warnings.
func TestCorpusGood(t *testing.T) {
	t.Parallel()
	for _, path := range archives(t, "good") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			c := readCase(t, path)
			suite, diags := scenario.Load(c.opts)
			if got := render(t, c.opts.Dir, suite, diags); got != "" {
				t.Errorf("problems:\n%s", got)
			}
			c.compare(t, path, describe(suite))
		})
	}
}

func archives(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives in %s: %v", folder, err)
	}
	return paths
}

// compare checks the output against the file "want" of the archive, or writes it there.
func (c *testCase) compare(t *testing.T, path, got string) {
	t.Helper()
	var want []byte
	files := c.archive.Files
	if n := len(files); n > 0 && files[n-1].Name == wantFile {
		want, files = files[n-1].Data, files[:n-1]
	}
	if *update && !bytes.Equal(want, []byte(got)) {
		out := *c.archive
		out.Files = append(slices.Clip(files), txtar.File{Name: wantFile, Data: []byte(got)})
		if err := os.WriteFile(path, txtar.Format(&out), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// describe summarises a suite, one line for each resource.
func describe(s *scenario.Suite) string {
	var b strings.Builder
	for _, p := range s.Projects {
		describeProject(&b, p)
	}
	return b.String()
}
