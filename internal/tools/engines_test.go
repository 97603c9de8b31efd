package tools

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestTemplatesRunInOnePlace: what runs a template of a user knows when to stop it. Others only read them.
func TestTemplatesRunInOnePlace(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	runs := map[string]bool{"internal/tools/template.go": true}
	reads := map[string]bool{"internal/scenario/tool.go": true, "internal/scenario/templateargs.go": true,
		"internal/scenario/templatefails.go": true, "internal/scenario/toolhttp.go": true}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			shown, _ := filepath.Rel(root, path)
			if shown = filepath.ToSlash(shown); name == "text/template" && !runs[shown] && !reads[shown] {
				t.Errorf("%s imports text/template: run templates with parseMock, whose loops end", shown)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(readFile(t, "../scenario/tool.go")+readFile(t, "../scenario/templateargs.go")+
		readFile(t, "../scenario/templatefails.go"), ".Execute(") {
		t.Error("internal/scenario runs templates")
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
