package arena_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
