package cassette

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

// TestCheckOfTrialsWithOneID: when two trials share an id, and so a file, the cassettes of all others are still
// checked.
func TestCheckOfTrialsWithOneID(t *testing.T) {
	t.Parallel()
	d := folderIn(t.TempDir(), true)
	for _, id := range []string{"a", "broken"} {
		path := d.file(id)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var problems diag.List
	d.Check(slices.Values([]Trial{{"a", "a"}, {"a", "a"}, {"broken", "broken"}}), &problems)
	files := map[string]bool{}
	for _, p := range problems.Sorted() {
		files[p.Pos.File] = true
	}
	if len(files) != 2 || problems.Errors() != 2 {
		t.Errorf("got %d problems in %v", problems.Errors(), files)
	}
}
