// Package internal holds no code, only the test that keeps the map of the packages true.
package internal

import (
	"errors"
	"go/build"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/arena-evals/arena/"

// rows is the map, from the bottom to the top. A package imports only from rows below its own, so packages of one
// row never import each other. A * stands for any text within one folder's name. Where several entries fit a package,
// the last one counts; one without a * counts before all others.
var rows = [][]string{
	{"internal/filelock"},
	{"internal/ellipsis", "internal/enclosed", "internal/jsonread", "internal/jsonvalue", "internal/pause",
		"internal/plainfile", "internal/plural", "internal/sortby"},
	{"internal/agreement", "internal/chat", "internal/contain", "internal/diag", "internal/dial",
		"internal/digest", "internal/exposition", "internal/failure", "internal/gate", "internal/hang", "internal/media",
		"internal/personaldata", "internal/process", "internal/secret", "internal/textmeasure", "internal/workflow"},
	{"internal/attach", "internal/baseline", "internal/evidence", "internal/jsonschema", "internal/mediafolder",
		"internal/node", "internal/textsearch"},
	{"internal/composition", "internal/dataset", "internal/jsonquery", "internal/say",
		"internal/schemalint", "internal/skill", "internal/spans", "internal/window"},
	{"internal/a2a", "internal/keys", "internal/spans/receiver"},
	{"internal/result", "internal/wellformed"},
	{"internal/dispatch", "internal/grading", "internal/scenario"},
	{"internal/bundle", "internal/fleet", "internal/selection"},
	{"internal/dispatch/nats", "internal/recording"},
	{"internal/tools"},
	{"internal/tools/*"},
	{"internal/tools/open", "internal/tools/own"},
	{"internal/providers"},
	{"internal/endpoint", "internal/providers/wire"},
	{"internal/providers/platform"},
	{"internal/providers/*"},
	{"internal/providers/open"},
	{"internal/checks"},
	{"internal/calibrate", "internal/cassette", "internal/judges"},
	{"internal/evals", "internal/generate", "internal/guard"},
	{"internal/claims", "internal/inventory"},
	{"internal/preflight"},
	{"internal/names"},
	{"internal/runner"},
	{"internal/analysis", "internal/comparison", "internal/shards"},
	{"internal/report/show"},
	{"internal/metrics", "internal/report/*", "internal/report/otlp"},
	{"docs", "internal/cli/template", "internal/conformance", "internal/filedoc", "internal/harness"},
	{"internal/cli", "."},
	{"arenatest", "cmd/*", "internal/cli/manpages"},
	{"internal/*/*test"},                                 // helpers of tests are on top: nothing that ships may import them
	{"internal/report/golden", "internal/cli/reference"}, // the latter writes documents and does not ship
}

// narrow lists packages that see less than everything below them: reports are functions of the result.
var narrow = map[string][]string{
	"internal/metrics":     {"internal/chat", "internal/diag", "internal/exposition", "internal/result", "internal/report/show"},
	"internal/report/*":    {"internal/analysis", "internal/chat", "internal/comparison", "internal/diag", "internal/evidence", "internal/result", "internal/report/show"},
	"internal/report/otlp": {"internal/chat", "internal/diag", "internal/pause", "internal/result", "internal/report/show"},
	"internal/report/show": {"internal/analysis", "internal/chat", "internal/comparison", "internal/diag", "internal/evidence", "internal/result", "internal/sortby"},
	"internal/analysis":    {"internal/result", "internal/sortby"},
	"internal/comparison":  {"internal/evidence", "internal/gate", "internal/result"},
}

// libraries names the only packages that may import a library, its subpackages included.
var libraries = map[string][]string{
	"go.yaml.in/yaml":        {"internal/node"},
	"github.com/spf13/cobra": {"internal/cli", "internal/cli/manpages", "cmd/*"},
	"github.com/spf13/pflag": {"internal/cli", "cmd/*"},
	"github.com/spf13/viper": {"internal/cli"},

	"github.com/santhosh-tekuri/jsonschema": {"internal/jsonschema"},

	// Each of these costs every start of arena more than it saves, and is there to hold us to what it does.
	"github.com/a2aproject/a2a-go": {"internal/*/*test"},
	"github.com/prometheus":        {"internal/*/*test"},
	"google.golang.org/protobuf":   {"internal/*/*test"},

	"google.golang.org/protobuf/encoding/protowire": {"internal/spans"}, // the bare wire, without reflection

	"github.com/aws":                         {"internal/providers/platform"},
	"golang.org/x/oauth2":                    {"internal/providers/platform"},
	"github.com/modelcontextprotocol/go-sdk": {"internal/tools/mcp", "internal/*/*test"},
	"github.com/nats-io/nats.go":             {"internal/dispatch/nats"},
	"github.com/nats-io/nats-server/v2":      {"internal/dispatch/natstest"},
}

// pkg is a package by its folder, with its imports; those of its tests are left out.
type pkg struct {
	name    string
	imports []string
}

func TestLayering(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		for _, problem := range problems(p) {
			t.Error(problem)
		}
	}
}

func TestLayeringFindsProblems(t *testing.T) {
	t.Parallel()
	const above = ", which is not below it"
	for _, c := range []struct{ from, to, want string }{
		{"internal/runner", module + "internal/checks", ""},
		{"internal/providers/mock", module + "internal/providers", ""},
		{"internal/providers/open", module + "internal/providers/mock", ""},
		{".", module + "internal/runner", ""},
		{"arenatest", strings.TrimSuffix(module, "/"), ""},
		{"internal/runner", strings.TrimSuffix(module, "/"), "internal/runner imports ." + above},
		{"internal/report/term", module + "internal/report/show", ""},
		{"internal/node", "go.yaml.in/yaml/v3", ""},
		{"internal/spans", "google.golang.org/protobuf/encoding/protowire", ""},
		{"internal/spans", "google.golang.org/protobuf/proto",
			"internal/spans imports google.golang.org/protobuf/proto; only internal/*/*test may"},
		{"internal/result", module + "internal/runner", "internal/result imports internal/runner" + above},
		{"internal/chat", module + "internal/diag", "internal/chat imports internal/diag" + above},
		{"internal/providers/mock", module + "internal/providers/openai",
			"internal/providers/mock imports internal/providers/openai" + above},
		{"internal/report/term", module + "internal/scenario",
			"internal/report/term imports internal/scenario; it may see only " +
				"internal/analysis, internal/chat, internal/comparison, internal/diag, internal/evidence, internal/result, internal/report/show"},
		{"internal/checks", "go.yaml.in/yaml/v3", "internal/checks imports go.yaml.in/yaml/v3; only internal/node may"},
		{"internal/runner", module + "internal/result/resulttest",
			"internal/runner imports internal/result/resulttest" + above},
		{"internal/util", "fmt", "internal/util is not on the map: add it to rows, or put its code where it belongs"},
	} {
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		got := problems(pkg{c.from, []string{c.to}})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s -> %s (-want +got):\n%s", c.from, c.to, diff)
		}
	}
}

// problems says what is wrong with one package's imports.
func problems(p pkg) (found []string) {
	from := p.name
	entry, row := place(from)
	if row < 0 {
		return []string{from + " is not on the map: add it to rows, or put its code where it belongs"}
	}
	for _, imported := range p.imports {
		to, ours := strings.CutPrefix(imported, module)
		if imported == strings.TrimSuffix(module, "/") {
			to, ours = ".", true
		}
		if !ours {
			found = append(found, foreign(from, imported)...)
			continue
		}
		target, below := place(to)
		switch only, limited := narrow[entry]; {
		case below >= row:
			found = append(found, from+" imports "+to+", which is not below it")
		case limited && !slices.Contains(only, target):
			found = append(found, from+" imports "+to+"; it may see only "+strings.Join(only, ", "))
		}
	}
	return found
}

// foreign says whether a package may import a library.
func foreign(from, library string) (found []string) {
	named := "" // the entry that says most about it
	for name := range libraries {
		if (library == name || strings.HasPrefix(library, name+"/")) && len(name) > len(named) {
			named = name
		}
	}
	if only, limited := libraries[named]; limited {
		if !slices.ContainsFunc(only, func(pattern string) bool { return matches(pattern, from) }) {
			found = append(found, from+" imports "+library+"; only "+strings.Join(only, ", ")+" may")
		}
	}
	return found
}

// place finds a package on the map: the entry that names it and its row, or -1.
func place(name string) (entry string, row int) {
	row = -1
	for i, packages := range rows {
		for _, pattern := range packages {
			if pattern == name {
				return pattern, i
			}
			if matches(pattern, name) {
				entry, row = pattern, i
			}
		}
	}
	return entry, row
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// list reads the imports of every package of the module that has code. It reads the files itself, where go list would
// do, because go test knows then what its result depends on and does not take an old one from its cache.
func list(t *testing.T) (all []pkg) {
	t.Helper()
	const root = ".."
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return err
		case dir != root && (d.Name() == "testdata" || strings.ContainsAny(d.Name()[:1], "._")):
			return fs.SkipDir
		}
		found, err := build.ImportDir(dir, 0)
		if none := new(build.NoGoError); errors.As(err, &none) {
			return nil
		}
		if err != nil || len(found.GoFiles) == 0 {
			return err
		}
		name, err := filepath.Rel(root, dir)
		all = append(all, pkg{name: filepath.ToSlash(name), imports: found.Imports})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
