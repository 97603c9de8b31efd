package arena_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/result"
)

var update = flag.Bool("update", false, "write testdata/api.txt; read the diff")

// TestAPI compares what the two packages export with testdata/api.txt, so that no change of it goes unseen.
func TestAPI(t *testing.T) {
	t.Parallel()
	got := api(t, ".") + "\n" + api(t, "arenatest")
	golden := filepath.Join("testdata", "api.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("what is exported has changed; `go test . -update` writes it (-want +got):\n%s", diff)
	}
}

// api is every exported declaration of a package, without comments and bodies, sorted.
func api(t *testing.T, dir string) string {
	t.Helper()
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var decls []string
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(file)
		for _, d := range file.Decls {
			decls = append(decls, declarations(t, fset, d)...)
		}
	}
	slices.Sort(decls)
	return "package " + pkg.Name + "\n\n" + strings.Join(decls, "\n") + "\n"
}

// declarations is one text for every function, type, and line of constants or variables.
func declarations(t *testing.T, fset *token.FileSet, d ast.Decl) (texts []string) {
	t.Helper()
	if f, ok := d.(*ast.FuncDecl); ok {
		if f.Recv != nil && !ast.IsExported(receiver(f.Recv.List[0].Type)) {
			return nil
		}
		f.Body = nil
		return []string{text(t, fset, f)}
	}
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok == token.IMPORT {
		return nil
	}
	for _, spec := range g.Specs {
		texts = append(texts, g.Tok.String()+" "+text(t, fset, spec))
	}
	return texts
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func text(t *testing.T, fset *token.FileSet, n ast.Node) string {
	t.Helper()
	var b bytes.Buffer
	if err := (&printer.Config{Mode: printer.UseSpaces, Tabwidth: 4}).Fprint(&b, fset, n); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(b.String()) { // where fields were left out there are empty lines
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimRight(line, " \n"))
		}
	}
	return strings.Join(lines, "\n")
}

var (
	block = regexp.MustCompile("(?s)```(\\w+)\n(.*?)```")
	link  = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
)

// sources are the files in which a block of docs/go.md must stand, by its language. All of them are run by tests: the
// module by `make module`.
var sources = map[string][]string{
	"go":   {"example*_test.go", "testdata/gomodule/*.go"},
	"yaml": {"testdata/gomodule/scenarios/*.yaml"},
	"text": {"arenatest/testdata/golden/*.txt"},
}

// TestReadmeNamesEveryReasonAndStatus: the tables have what the code knows.
func TestReadmeNamesEveryReasonAndStatus(t *testing.T) {
	t.Parallel()
	page := read(t, "README.md")
	for _, word := range result.FailOnWords {
		if !strings.Contains(page, "`"+word+"`") {
			t.Errorf("the README does not say what fail_on: [%s] does", word)
		}
	}
	for _, status := range []int{
		result.ExitPassed, result.ExitFailed, result.ExitUsage, result.ExitError, result.ExitInterrupted,
	} {
		if !strings.Contains(page, fmt.Sprintf("\n| %d | ", status)) {
			t.Errorf("the README does not say what the exit status %d means", status)
		}
	}
}

// TestConsumerInDocs holds that the code in docs/dispatch.md is a part of what tests run.
func TestConsumerInDocs(t *testing.T) {
	t.Parallel()
	found := 0
	for _, b := range block.FindAllStringSubmatch(read(t, "docs/dispatch.md"), -1) {
		if b[1] != "go" {
			continue
		}
		if found++; !stands(t, sources["go"], b[2]) {
			t.Errorf("a block stands in none of %q:\n%s", sources["go"], b[2])
		}
	}
	if found == 0 {
		t.Error("found no block")
	}
}

// TestDocs holds that every block of docs/go.md is a part of what tests run, and that its links lead somewhere.
func TestDocs(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/go.md")
	blocks := block.FindAllStringSubmatch(page, -1)
	if len(blocks) < 10 || 2*len(blocks) != strings.Count(page, "```") {
		t.Errorf("found %d blocks", len(blocks))
	}
	for _, b := range blocks {
		if !stands(t, sources[b[1]], b[2]) {
			t.Errorf("a block of %s stands in none of %q:\n%s", b[1], sources[b[1]], b[2])
		}
	}
	for _, l := range link.FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join("docs", l[1])); err != nil {
			t.Error(err)
		}
	}
}

// stands reports whether a text stands in one of the files, whole lines of it.
func stands(t *testing.T, patterns []string, text string) bool {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			if strings.Contains("\n"+read(t, file), "\n"+text) {
				return true
			}
		}
	}
	return false
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}
