// Package corpustest finds the vectors that lie beside the repository, for tests.
package corpustest

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir is the folder conformance/part of the corpus. See Path.
func Dir(t *testing.T, part string) string {
	t.Helper()
	return Path(t, filepath.Join("conformance", part))
}

// Path is a folder of the corpus: in $ARENA_CORPUS, or in a folder `shared` beside one that the repository is in. The
// test is skipped, and says so, when there is no such folder beside it.
func Path(t *testing.T, inside string) string {
	t.Helper()
	if root := os.Getenv("ARENA_CORPUS"); root != "" {
		return filepath.Join(root, inside)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		found := filepath.Join(dir, "shared", inside)
		if info, err := os.Stat(found); err == nil && info.IsDir() {
			return found
		}
	}
	t.Skipf("no %s beside the repository; set ARENA_CORPUS to run it", filepath.ToSlash(inside))
	return ""
}
