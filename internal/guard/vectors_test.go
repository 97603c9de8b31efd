package guard

import (
	gocmp "cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/checks/verify"
)

func TestTopics(t *testing.T) {
	t.Parallel()
	v, err := verify.Read(filepath.Join("testdata", "guardrails.json"), filepath.Join("testdata", "streaming.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	a := &checks.Agreement{}
	if err := v.Run(t.Context(), Topics(), a, &out); err != nil {
		t.Fatal(err)
	}
	if err := a.Write(&out); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "topics.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCorpus runs the vectors in $ARENA_CORPUS, or in a folder `shared` beside the repository.
func TestCorpus(t *testing.T) {
	t.Parallel()
	root := gocmp.Or(os.Getenv("ARENA_CORPUS"), filepath.Join("..", "..", "..", "shared"))
	dir := filepath.Join(root, "conformance", "machinery")
	v, err := verify.Read(filepath.Join(dir, "guardrails.json"), filepath.Join(dir, "streaming.json"))
	if err != nil {
		t.Skip("no conformance corpus beside the repository; set ARENA_CORPUS to run it")
	}
	var out strings.Builder
	a := &checks.Agreement{}
	if err := v.Run(t.Context(), Topics(), a, &out); err != nil {
		t.Fatal(err)
	}
	if err := a.Write(&out); err != nil || a.Agree != a.Total {
		t.Errorf("%v\n%s", err, &out)
	}
}
