//go:build unix

package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

// TestUnreadable: files that exist and cannot be read are errors, and never block.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	config := "kind: Arena\nspec: {scenarios: [locked.yaml, pipe.yaml, link.yaml]}\n"
	dir := project(t, map[string]string{"config.arena.yaml": config})
	write(t, filepath.Join(dir, "locked.yaml"), []byte(hello))
	if err := os.Chmod(filepath.Join(dir, "locked.yaml"), 0); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	suite, diags := scenario.Load(scenario.Options{Dir: dir})
	got := render(t, dir, suite, diags)
	want := []string{`"pipe.yaml" is not a regular file`, `there is no file "link.yaml"`}
	if os.Getuid() != 0 { // root reads everything
		want = append(want, `"locked.yaml" cannot be read: permission denied`)
	}
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%q is not in:\n%s", w, got)
		}
	}
}
