package conformance

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/checks/corpustest"
)

// TestConformance runs the corpus beside the repository, if it exists.
func TestConformance(t *testing.T) {
	t.Parallel()
	files, err := ReadVectors(corpustest.Dir(t, "checks"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := Verify(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	if a.Agree != a.Total || a.Total == 0 {
		var out strings.Builder
		if err := a.Write(&out); err != nil {
			t.Fatal(err)
		}
		t.Error(out.String())
	}
	t.Logf("%d of %d vectors agree, %d types are not available yet", a.Agree, a.Total, len(a.Skipped))
}
