package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestToolsPage runs the commands of docs/tools.md in the project that `arena init` writes.
func TestToolsPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "tools.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if code, out := arena(t, "init", "."); code != 0 {
		t.Fatal(out)
	}
	shell := regexp.MustCompile("(?s)```sh\n(.*?)```")
	word := regexp.MustCompile(`'[^']*'|\S+`)
	n := 0
	for _, block := range shell.FindAllStringSubmatch(strings.ReplaceAll(string(page), "\r\n", "\n"), -1) {
		for line := range strings.Lines(block[1]) {
			var args []string
			for _, w := range word.FindAllString(strings.TrimSpace(line), -1) {
				args = append(args, strings.Trim(w, "'"))
			}
			n++
			if code, out := arena(t, args[1:]...); code != 0 || args[0] != "arena" {
				t.Errorf("%s ends with %d:\n%s", line, code, out)
			}
		}
	}
	if n < 7 {
		t.Errorf("the page has %d commands", n)
	}
}
