package checks_test

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/checks/corpustest"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/open"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestConformance runs the corpus that lies beside the repository, where there is one. Its judges are asked through the
// provider that asks real ones.
func TestConformance(t *testing.T) {
	t.Parallel()
	files, err := checks.ReadVectors(corpustest.Dir(t, "checks"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := checks.Verify(t.Context(), files, checks.VerifyOptions{
		Judges: func(endpoint string) (checks.Judges, error) { return connect(t, endpoint) },
	})
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

func connect(t *testing.T, endpoint string) (checks.Judges, error) {
	t.Helper()
	spec := &scenario.Provider{
		Meta: scenario.Meta{ID: "vector"}, Type: "openai-compatible", Model: "vector", BaseURL: endpoint,
	}
	client, err := open.New(spec, open.Options{Retries: new(0)})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = providers.Close(client) })
	return judges.Of(client, spec.ID, spec.Model), nil
}
