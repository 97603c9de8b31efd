package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/checks/corpustest"
)

// TestEvalCorpus runs the corpus beside the repository, if it exists.
func TestEvalCorpus(t *testing.T) {
	t.Parallel()
	dir := corpustest.Dir(t, "machinery")
	for _, topic := range []string{"sampling", "triggers", "groups", "group_filter", "eval_merge", "eval_validation"} {
		file := filepath.Join(dir, topic+".json")
		if _, err := os.Stat(file); err != nil {
			t.Errorf("the corpus has no %s", topic)
			continue
		}
		agreed(t, file)
	}
}

func agreed(t *testing.T, files ...string) {
	t.Helper()
	v, err := Read(files...)
	if err != nil {
		t.Fatal(err)
	}
	var a Agreement
	var out strings.Builder
	v.Run(t.Context(), evalTopics(), &a)
	if err := a.Write(&out); err != nil {
		t.Fatal(err)
	}
	if a.Agree != a.Total || a.Total == 0 || len(a.Skipped) > 0 {
		t.Error(out.String())
	}
	t.Log(out.String())
}
