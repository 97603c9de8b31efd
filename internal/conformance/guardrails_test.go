package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/checks/corpustest"
)

func TestGuardrails(t *testing.T) {
	t.Parallel()
	v, err := Read(filepath.Join("testdata", "guardrails.json"), filepath.Join("testdata", "streaming.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	a := &Agreement{}
	v.Run(t.Context(), guardrailTopics(), a)
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

// TestGuardrailCorpus runs the vectors beside the repository, if there are any.
func TestGuardrailCorpus(t *testing.T) {
	t.Parallel()
	dir := corpustest.Dir(t, "machinery")
	v, err := Read(filepath.Join(dir, "guardrails.json"), filepath.Join(dir, "streaming.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	a := &Agreement{}
	v.Run(t.Context(), guardrailTopics(), a)
	if err := a.Write(&out); err != nil || a.Agree != a.Total || a.Total == 0 {
		t.Errorf("%v\n%s", err, &out)
	}
}
