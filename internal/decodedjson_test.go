package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// methodsOnly are types of decoded JSON that are there for their methods, and whose values nobody else gets.
var methodsOnly = map[string]bool{"grading.answer": true}

// TestDecodedJSONHasOneType: what looks through decoded JSON, to redact it, to copy it or to find something in it,
// knows map[string]any and []any. A type of its own would be passed over there; another name for the same type is not.
func TestDecodedJSONHasOneType(t *testing.T) {
	t.Parallel()
	found := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && path != "..") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is || !isDecoded(types.ExprString(spec.Type)) {
				return true
			}
			found++
			if name := file.Name.Name + "." + spec.Name.Name; spec.Assign == token.NoPos && !methodsOnly[name] {
				t.Errorf("%s: %s is a type of its own; write type %s = %s", path, name, spec.Name.Name, types.ExprString(spec.Type))
			}
			return true
		})
		return nil
	})
	if err != nil || found < 3 {
		t.Errorf("%d types of decoded JSON were seen: %v", found, err)
	}
}

// isDecoded reports whether a type is one to which JSON is decoded.
func isDecoded(text string) bool {
	switch strings.ReplaceAll(text, "interface{}", "any") {
	case "map[string]any", "[]any", "jsonvalue.Object", "Object", "chat.Args", "Args":
		return true
	}
	return false
}
