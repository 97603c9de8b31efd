package internal

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"testing"
)

// TestOneWayToDriveARun: only harness starts a plan, and writes the first and the last line of a journal. A second way
// would forget what the first one learns.
func TestOneWayToDriveARun(t *testing.T) {
	t.Parallel()
	of := map[string]bool{"runner.Run": true, "result.NewJournal": true, "result.JournalFooter": true}
	found := map[string]int{}
	eachSource(t, func(path string, files *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok || !of[pkg.Name+"."+sel.Sel.Name] {
				return true
			}
			found[pkg.Name+"."+sel.Sel.Name]++
			if filepath.ToSlash(filepath.Dir(path)) != "../internal/harness" {
				t.Errorf("%s: %s.%s; harness.Execution drives runs", files.Position(n.Pos()), pkg.Name, sel.Sel.Name)
			}
			return true
		})
	})
	for name := range of {
		if found[name] == 0 {
			t.Errorf("%s is found nowhere: the search does not see it", name)
		}
	}
}
