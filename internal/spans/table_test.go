package spans

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestOneTable: the reader of recordings uses the same table and names none of its attributes itself.
func TestOneTable(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../recording/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			for f, names := range table {
				for _, attribute := range names {
					if text == attribute && strings.Contains(text, ".") && !ofArena[text] && !shared[text] {
						t.Errorf("%s: %q is the field %d of the table", name, text, f)
					}
				}
			}
			return true
		})
	}
}

// ofArena are attributes that arena writes, and that recordings read by their names.
var ofArena = map[string]bool{"arena.judge": true, "arena.by_check": true}

// shared are attributes that mean something else in recordings: an old name of a provider is no message, and the errors
// of spans have more places.
var shared = map[string]bool{"gen_ai.system": true, "error.type": true, "exception.message": true}
