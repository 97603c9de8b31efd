package arena_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	block = regexp.MustCompile("(?s)```(\\w+)\n(.*?)```")
	link  = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
)

// sources are the files in which a block of docs/go.md must stand, by its language. All of them are run by tests: the
// module by `make module`.
var sources = map[string][]string{
	"go":   {"example*_test.go", "testdata/gomodule/*.go"},
	"yaml": {"testdata/gomodule/scenarios/*.yaml"},
	"text": {"arenatest/testdata/golden/*.txt"},
}

// TestDocs holds that every block of docs/go.md is a part of what tests run, and that its links lead somewhere.
func TestDocs(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/go.md")
	blocks := block.FindAllStringSubmatch(page, -1)
	if len(blocks) < 10 || 2*len(blocks) != strings.Count(page, "```") {
		t.Errorf("found %d blocks", len(blocks))
	}
	for _, b := range blocks {
		if !stands(t, sources[b[1]], b[2]) {
			t.Errorf("a block of %s stands in none of %q:\n%s", b[1], sources[b[1]], b[2])
		}
	}
	for _, l := range link.FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join("docs", l[1])); err != nil {
			t.Error(err)
		}
	}
}

// stands reports whether a text stands in one of the files, whole lines of it.
func stands(t *testing.T, patterns []string, text string) bool {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			if strings.Contains("\n"+read(t, file), "\n"+text) {
				return true
			}
		}
	}
	return false
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}
