package harness_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// TestTargets: each report makes way for the next one of its kind, whatever the run came to, and for no other.
func TestTargets(t *testing.T) {
	t.Parallel()
	runs := []*result.Run{
		resulttest.AllPassed(), resulttest.OneFailed(), resulttest.Errored(), resulttest.Cancelled(), resulttest.Flaky(),
		resulttest.Hostile(),
	}
	for _, run := range runs {
		dir := t.TempDir()
		o := harness.NewOutputs(harness.Choice{Dir: dir})
		if err := errors.Join(o.Prepare(), o.WriteAll(run), o.Prepare()); err != nil {
			t.Fatal(err)
		}
		for i, path := range o.Paths() {
			for k := range 3 {
				at := filepath.Join(t.TempDir(), "report")
				data, err := os.ReadFile(path)
				if err := errors.Join(err, os.WriteFile(at, data, 0o600)); err != nil {
					t.Fatal(err)
				}
				c := harness.Choice{Dir: dir}
				*[]*string{&c.HTML, &c.JUnit, &c.Markdown}[k] = at
				if err := harness.NewOutputs(c).Prepare(); (err == nil) != (i == k) {
					t.Errorf("%s as report %d: %v", path, k, err)
				}
			}
		}
	}
}
