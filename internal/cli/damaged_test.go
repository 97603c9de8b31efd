package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// aPage matches a block of an introduction that is a YAML file, and its name.
var aPage = regexp.MustCompile("(?ms)^```yaml\n# ([\\w./-]+)\n(.*?)^```$")

// TestNoKeyIsNeeded removes, empties or replaces each key in the example of each kind of file. arena validate must
// report what is wrong, and not crash.
func TestNoKeyIsNeeded(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../filedoc/intro/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	tried := 0
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		blocks := aPage.FindAllStringSubmatch(string(data), -1)
		for _, b := range blocks {
			path := filepath.Join(dir, filepath.FromSlash(b[1]))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(b[2]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, b := range blocks {
			path := filepath.Join(dir, filepath.FromSlash(b[1]))
			for _, broken := range damagedKeys(b[2]) {
				if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
					t.Fatal(err)
				}
				validates(t, dir, filepath.Base(page), broken)
				tried++
			}
			if err := os.WriteFile(path, []byte(b[2]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if tried < 500 {
		t.Errorf("only %d files were tried", tried)
	}
}

// damagedKeys returns copies of a YAML text, each with one key missing, empty, or with an empty list or map as its
// value.
func damagedKeys(text string) (all []string) {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		key, _, isKey := strings.Cut(line, ":")
		if !isKey || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		end := i + 1 // behind the value of the key
		for end < len(lines) && indented(lines[end]) > indented(line) {
			end++
		}
		before, after := strings.Join(lines[:i], ""), strings.Join(lines[end:], "")
		for _, instead := range []string{"", key + ":\n", key + ": []\n", key + ": {zz: 1}\n"} {
			all = append(all, before+instead+after)
		}
	}
	return all
}

// indented is the indentation of a line, the dashes of lists included.
func indented(line string) int { return len(line) - len(strings.TrimLeft(line, " -")) }

func validates(t *testing.T, dir, page, text string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: arena validate breaks (%v) on\n%s", page, p, text)
		}
	}()
	if status, printed := arenaWith(t, map[string]string{}, []string{"validate", dir}); status != 0 && status != 2 {
		t.Errorf("%s: status %d\n%s\n%s", page, status, printed, text)
	}
}
