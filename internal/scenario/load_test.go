package scenario_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// project writes files and returns their folder.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	return dir
}

const hello = "turns: [{role: user, content: Hello}]\n"

func ids(s *scenario.Suite) []string {
	var out []string
	for _, p := range s.Projects {
		for _, sc := range p.Scenarios {
			out = append(out, p.File+":"+sc.ID)
		}
	}
	return out
}

// TestOwner: which project a scenario runs in that is named alone.
func TestOwner(t *testing.T) {
	t.Parallel()
	config := func(files string) string {
		return "kind: Arena\nmetadata: {name: x}\nspec: {scenarios: [" + files + "]}\n"
	}
	dir := project(t, map[string]string{
		"config.arena.yaml":             config("sub/listed.yaml, 'deep/**/*.yaml'"),
		"other.arena.yaml":              config("sub/other.yaml"),
		"sub/listed.yaml":               hello,
		"sub/other.yaml":                hello,
		"sub/loose.yaml":                hello,
		"deep/a/b/c.yaml":               hello,
		"own/config.arena.yaml":         config("mine.yaml"),
		"own/mine.yaml":                 hello,
		"outside/up/scenarios/x.md":     "no",
		"outside/config.arena.yaml":     config("up/scenarios/far.yaml"),
		"outside/up/scenarios/far.yaml": hello,
	})
	tests := []struct {
		name  string
		dir   string
		paths []string
		want  []string
	}{
		{"listed", "", []string{"sub/listed.yaml"}, []string{"config.arena.yaml:listed"}},
		{"listed by another config", "", []string{"sub/other.yaml"}, []string{"other.arena.yaml:other"}},
		{"not listed", "", []string{"sub/loose.yaml"}, []string{":loose"}},
		{"by a deep pattern", "", []string{"deep/a/b/c.yaml"}, []string{"config.arena.yaml:c"}},
		{"the nearest config", "", []string{"own/mine.yaml"}, []string{"own/config.arena.yaml:mine"}},
		{"a folder of files", "", []string{"sub"}, []string{"config.arena.yaml:listed", "other.arena.yaml:other", ":loose"}},
		{"a pattern", "", []string{"sub/l*.yaml"}, []string{"config.arena.yaml:listed", ":loose"}},
		{"twice", "", []string{"sub/listed.yaml", "./sub/listed.yaml"}, []string{"config.arena.yaml:listed"}},
		{"from a folder below", "sub", []string{"../sub/listed.yaml"}, []string{"../config.arena.yaml:listed"}},
		{"above the working directory", "sub", []string{"listed.yaml"}, []string{"../config.arena.yaml:listed"}},
		{
			"above, from elsewhere", "own", []string{"../outside/up/scenarios/far.yaml"},
			[]string{"../outside/config.arena.yaml:far"},
		},
		{
			"an absolute path", "own", []string{filepath.Join(dir, "sub/listed.yaml")},
			[]string{filepath.Join(dir, "config.arena.yaml") + ":listed"},
		},
		{
			"an absolute path below", "", []string{filepath.Join(dir, "sub/listed.yaml")},
			[]string{"config.arena.yaml:listed"},
		},
		{
			"config and listed file", "", []string{"own/config.arena.yaml", "own/mine.yaml"},
			[]string{"own/config.arena.yaml:mine"},
		},
		{"folder with a config", "", []string{"own"}, []string{"own/config.arena.yaml:mine"}},
		{"no path at all", "own", nil, []string{"config.arena.yaml:mine"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			suite, diags := scenario.Load(scenario.Options{Dir: filepath.Join(dir, tt.dir), Paths: tt.paths})
			if diags.Errors() > 0 {
				t.Fatal(diags.Sorted())
			}
			if diff := cmp.Diff(tt.want, ids(suite)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"latin-1", "turns: [{role: user, content: caf\xe9}]\n", "a.yaml:1:34: the file is not valid UTF-8 here"},
		{"utf-16", "\xff\xfet\x00u\x00", "a.yaml:1:1: the file is UTF-16"},
		{"byte order mark", "\xef\xbb\xbf" + hello, ""},
		{"crlf", "kind: Scenario\r\nspec:\r\n  turns:\r\n    - role: user\r\n      content: Hello\r\n", ""},
		{"crlf and a mistake", "kind: Scenario\r\nspec:\r\n  turns: []\r\n", "a.yaml:3:10: turns is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := project(t, map[string]string{"a.yaml": tt.text})
			suite, diags := scenario.Load(scenario.Options{Dir: dir, Paths: []string{"a.yaml"}})
			got := render(t, dir, suite, diags)
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestDeterministic: many files, read by many at once, give the same suite and the same problems each time.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	files := map[string]string{"config.arena.yaml": "kind: Arena\nmetadata: {name: x}\nspec: {scenarios: ['s/*.yaml']}\n"}
	for i := range 200 {
		text := "id: s%d\nturns:\n  - {role: user, content: Hi, contnt: x}\n  - {rol: user}\n"
		files[fmt.Sprintf("s/%03d.yaml", i)] = fmt.Sprintf(text, i%150)
	}
	dir := project(t, files)
	load := func() string {
		suite, diags := scenario.Load(scenario.Options{Dir: dir})
		return render(t, dir, suite, diags) + strings.Join(ids(suite), " ")
	}
	first := load()
	for range 5 {
		if diff := cmp.Diff(first, load()); diff != "" {
			t.Fatalf("another load differs:\n%s", diff)
		}
	}
}

// TestCompileOnce: each check is compiled once, and its parameters are let go.
func TestCompileOnce(t *testing.T) {
	t.Parallel()
	dir := project(t, map[string]string{"a.yaml": `
turns:
  - role: user
    content: Hi
    assertions: [{type: contains, params: {patterns: [a]}}, {type: regex}, {type: [oops]}]
conversation_assertions: [{type: max_length, params: null}]
`})
	var calls atomic.Int32
	suite, diags := scenario.Load(scenario.Options{
		Dir: dir, Paths: []string{"a.yaml"},
		Compile: func(c *scenario.Check, _ *diag.List) { calls.Add(1); c.Compiled = c.Type },
	})
	if got := calls.Load(); got != 3 || diags.Errors() != 1 {
		t.Errorf("compiled %d checks with %d errors, want 3 and 1", got, diags.Errors())
	}
	s := suite.Projects[0].Scenarios[0]
	for _, c := range append(s.Turns[0].Assertions, s.Conversation...) {
		if written, ok := c.Compiled.(*scenario.Check); ok {
			t.Errorf("%v is kept as it was written", written)
		}
	}
}

// TestRawChecks: without a compiler the checks keep what was written.
func TestRawChecks(t *testing.T) {
	t.Parallel()
	dir := project(t, map[string]string{"a.yaml": `
turns:
  - role: user
    content: Hi
    assertions:
      - {type: contains, params: {patterns: [a], message: inside}, pass_threshold: 0.5, max_score: 0}
      - {type: regex, message: outside, when: {tool_called_pattern: "^get_", min_tool_calls: 2, any_tool_called: true}}
`})
	suite, diags := scenario.Load(scenario.Options{Dir: dir, Paths: []string{"a.yaml"}})
	if diags.Errors() > 0 {
		t.Fatal(diags.Sorted())
	}
	checks := suite.Projects[0].Scenarios[0].Turns[0].Assertions
	first, second := checks[0].Compiled.(*scenario.Check), checks[1].Compiled.(*scenario.Check)
	limits := *first.PassThreshold == 0.5 && *first.MaxScore == 0 && first.MinScore == nil
	if first.Params == nil || first.Message != "inside" || !limits {
		t.Errorf("first: %+v", first)
	}
	if got := first.Pos.String() + " " + first.ParamsPos.String(); got != "a.yaml:6:16 a.yaml:6:34" {
		t.Errorf("places: %s", got)
	}
	want := &scenario.When{
		ToolCalledPattern: "^get_", MinToolCalls: 2, AnyToolCalled: true,
		PatternPos: diag.Pos{File: "a.yaml", Line: 7, Col: 69},
	}
	if diff := cmp.Diff(want, second.When); diff != "" || second.Message != "outside" {
		t.Errorf("second: %q (-want +got):\n%s", second.Message, diff)
	}
}

// TestMemory: what a loaded scenario keeps is small, so that ten thousand of them fit.
func TestMemory(t *testing.T) {
	const n, limit = 1000, 2200 // bytes a scenario with three turns, nine checks and its three mock replies may keep
	dir := writeSuite(t, n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	keep := func(c *scenario.Check, _ *diag.List) { c.Compiled = true }
	suite, diags := scenario.Load(scenario.Options{Dir: dir, Compile: keep})
	if diags.Errors() > 0 {
		t.Fatal(diags.Sorted())
	}
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n; each > limit {
		t.Errorf("%d bytes a scenario, want at most %d", each, limit)
	}
	runtime.KeepAlive(suite)
}

func TestFilesAreCounted(t *testing.T) {
	t.Parallel()
	dir := writeSuite(t, 5)
	suite, _ := scenario.Load(scenario.Options{Dir: dir})
	if want := 5 + 4; suite.Files != want { // config, prompt, provider, mock replies
		t.Errorf("got %d, want %d", suite.Files, want)
	}
}

// FuzzLoad: no document makes the loader panic or point outside the file.
func FuzzLoad(f *testing.F) {
	for _, folder := range []string{"err", "good"} {
		paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			for _, src := range documentsOf(f, path) {
				f.Add(src)
			}
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, name := range []string{"f.yaml", "f.json"} {
			dir := project(t, map[string]string{name: src})
			_, diags := scenario.Load(scenario.Options{Dir: dir, Paths: []string{name}, MockConfig: name, Compile: compile})
			lines := len(diag.Lines(name, []byte(src)))
			for _, d := range diags.Sorted() {
				if d.Pos.File == name && int(d.Pos.Line) > lines+1 {
					t.Fatalf("%s is below the file of %d lines: %s", d.Pos, lines, d.Msg)
				}
			}
		}
	})
}
