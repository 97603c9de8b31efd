package internal

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFilesAreReplacedInOnePlace: who writes a file beside another and renames it, or takes the path off an error, has
// it from plainfile, which gets right what is easily forgotten.
func TestFilesAreReplacedInOnePlace(t *testing.T) {
	t.Parallel()
	allowed := map[string][]string{
		"os.CreateTemp": {"internal/plainfile/temp.go"},
		"fs.PathError":  {"internal/plainfile/*.go", "internal/filelock/*.go"},
	}
	found := 0
	eachSource(t, func(path string, files *token.FileSet, file *ast.File) {
		path = strings.TrimPrefix(filepath.ToSlash(path), "../")
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			name := pkg.Name + "." + sel.Sel.Name
			if where, limited := allowed[name]; limited {
				found++
				if !slices.ContainsFunc(where, func(pattern string) bool { return matches(pattern, path) }) {
					t.Errorf("%s: %s; plainfile does that", files.Position(n.Pos()), name)
				}
			}
			return true
		})
	})
	if found < 4 {
		t.Errorf("%d uses found: the search does not see them", found)
	}
}
