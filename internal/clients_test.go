package internal

import (
	"go/ast"
	"go/token"
	"testing"
)

// TestClientsSettleRedirects: every HTTP client that ships says what it does with redirects, and none is that of the
// library, which takes what was sent to whoever it is told to.
func TestClientsSettleRedirects(t *testing.T) {
	t.Parallel()
	forbidden := map[string]bool{"DefaultClient": true, "Get": true, "Head": true, "Post": true, "PostForm": true}
	found := 0
	eachSource(t, func(_ string, files *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok && ofHTTP(lit.Type, "Client") {
				if found++; !settles(lit) {
					t.Errorf("%s: an http.Client without CheckRedirect", files.Position(n.Pos()))
				}
			}
			if sel, ok := n.(*ast.SelectorExpr); ok && forbidden[sel.Sel.Name] && ofHTTP(sel, sel.Sel.Name) {
				t.Errorf("%s: http.%s follows every redirect", files.Position(n.Pos()), sel.Sel.Name)
			}
			return true
		})
	})
	if found < 4 {
		t.Errorf("%d clients found: the search does not see them", found)
	}
}

// ofHTTP reports whether an expression is a name of net/http.
func ofHTTP(e ast.Expr, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "http"
}

func settles(lit *ast.CompositeLit) bool {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "CheckRedirect" {
				return true
			}
		}
	}
	return false
}
