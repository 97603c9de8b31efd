package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPages(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "man")
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"arena.1", "arena-run.1", "arena-checks-try.1"} {
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), `.TH "ARENA" "1" "Jan 1970" "arena"`) {
			t.Errorf("%s has no header: %.80s", name, page)
		}
	}
}
