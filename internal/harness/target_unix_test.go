//go:build unix

package harness_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/arena-evals/arena/internal/harness"
)

// TestPipesAreNoOutput: to open a pipe that nobody reads would wait forever.
func TestPipesAreNoOutput(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, refused := range map[string]bool{pipe: true, "/dev/null": false} {
		err := harness.CheckTargets([]harness.Target{{What: "JUnit", Path: path, Recognizes: func([]byte) bool { return true }}}, nil)
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "it is a pipe") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
