package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The vectors that the documentation shows are good ones.
func TestConformancePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "conformance.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "```json\n")
	example, _, shown := strings.Cut(after, "```")
	if !shown {
		t.Fatal("the page shows no vectors")
	}
	file := filepath.Join(t.TempDir(), "example.json")
	if err := os.WriteFile(file, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := ReadVectors(file)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Verify(t.Context(), files)
	if err != nil || a.Total == 0 || a.Agree != a.Total {
		t.Errorf("%+v %v", a, err)
	}
}
