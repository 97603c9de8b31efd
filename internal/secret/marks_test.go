package secret_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/secret"
)

// TestCutsAreMarked reads the whole program for texts that are cut: right behind a cut stands the mark, and right
// before one, so that a part of a secret is found beside it.
func TestCutsAreMarked(t *testing.T) {
	t.Parallel()
	files, cuts := token.NewFileSet(), 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if wrong, found := unmarked(n); found {
					cuts++
					if wrong != "" {
						t.Errorf("%s: %s where a text is cut, want %s", files.Position(n.Pos()), wrong, secret.Mark)
					}
				}
			case *ast.BasicLit:
				if n.Kind == token.STRING && cutting.MatchString(n.Value) {
					t.Errorf("%s: %s cuts without a mark", files.Position(n.Pos()), n.Value)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || cuts < 10 {
		t.Fatal(err, cuts)
	}
}

// cutting is a verb that prints the beginning of a text.
var cutting = regexp.MustCompile(`%[-+#]*[0-9]*\.[0-9*]+[sqvxX]`)

// unmarked is the text that stands instead of a mark beside the beginning or the end of another one.
func unmarked(n *ast.BinaryExpr) (wrong string, found bool) {
	if n.Op != token.ADD {
		return "", false
	}
	text := func(e ast.Expr) (string, bool) {
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return "", false
		}
		s, err := strconv.Unquote(lit.Value)
		return s, err == nil
	}
	if after, ok := text(n.Y); ok && sliced(n.X, true) {
		return bad(after, strings.HasPrefix(strings.TrimPrefix(after, ", "), secret.Mark)), true
	}
	if before, ok := text(n.X); ok && sliced(n.Y, false) {
		return bad(before, strings.HasSuffix(before, secret.Mark)), true
	}
	return "", false
}

func bad(text string, marked bool) string {
	if marked {
		return ""
	}
	return strconv.Quote(text)
}

// limit matches the names of length limits.
var limit = regexp.MustCompile(`(?i)limit|most|max|end|rune|keep|start`)

func limits(e ast.Expr) (found bool) {
	if e == nil {
		return false
	}
	ast.Inspect(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		found = found || ok && limit.MatchString(name.Name)
		return !found
	})
	return found
}

// sliced reports whether an expression is the beginning, or the end, of another text.
func sliced(e ast.Expr, head bool) bool {
	switch e := e.(type) {
	case *ast.SliceExpr:
		return head && e.Low == nil && limits(e.High) || !head && e.High == nil && limits(e.Low)
	case *ast.CallExpr: // string(runes[:n]), strings.ToValidUTF8(s[:n], "")
		return len(e.Args) > 0 && sliced(e.Args[0], head)
	case *ast.ParenExpr:
		return sliced(e.X, head)
	case *ast.BinaryExpr:
		return e.Op == token.ADD && head && sliced(e.Y, head)
	}
	return false
}
