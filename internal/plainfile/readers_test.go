package plainfile_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// openers are the files that open or read without this package, and why nobody can make them hang on a pipe.
var openers = map[string]string{
	"internal/plainfile/plainfile.go":     "checks before",
	"internal/filelock/lock_unix.go":      "does not wait for a pipe, and refuses it",
	"internal/plainfile/sync_unix.go":     "a folder, to sync it",
	"internal/process/orphans_linux.go":   "files of the system in /proc",
	"internal/process/owner.go":           "the same",
	"internal/harness/journal.go":         "new, or checked before",
	"internal/harness/journalfallback.go": "new",
	"internal/cassette/partfile.go":       "new, or checked before",
	"internal/plainfile/replace.go":       "a device or pipe to write into, for somebody who reads it",
	"internal/cli/evalstdin.go":           "new",
	"internal/cli/events.go":              "a file or pipe to write into, for somebody who reads it",
	"internal/cli/ci.go":                  "checked before",
	"internal/dispatch/nats/output.go":    "a file to write",
	"internal/conformance/program.go":     "a file that arena wrote itself",
	"internal/report/golden/golden.go":    "of tests",
}

// TestWhoReadsFiles: a file that somebody names is opened here, so that a pipe or a device in its place ends in a
// message and not in waiting.
func TestWhoReadsFiles(t *testing.T) {
	t.Parallel()
	found := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata", d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root:
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		found++
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		uses := opens(t, path)
		switch allowed := openers[filepath.ToSlash(name)] != ""; {
		case allowed && len(uses) == 0:
			t.Errorf("%s opens no file: take it off the list", name)
		case !allowed:
			for _, use := range uses {
				t.Errorf("%s: read by way of internal/plainfile", use)
			}
		}
		return nil
	})
	if err != nil || found < 100 {
		t.Errorf("%d files: %v", found, err)
	}
}

// opens lists where a file opens or reads one by its path.
func opens(t *testing.T, path string) (found []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		t.Error(err)
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			of, named := s.X.(*ast.Ident)
			if named && of.Name == "os" && (s.Sel.Name == "Open" || s.Sel.Name == "ReadFile" || s.Sel.Name == "OpenFile") {
				found = append(found, files.Position(s.Pos()).String()+": os."+s.Sel.Name)
			}
		}
		return true
	})
	return found
}
