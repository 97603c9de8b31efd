package result_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/jsonread"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// TestTrialsAreReadQuickly: no trial that arena writes is left to encoding/json, and each is what that makes of it.
func TestTrialsAreReadQuickly(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]*result.Run{
		"hostile": resulttest.Hostile(), "big": resulttest.Big(50), "all passed": resulttest.AllPassed(),
		"compared": resulttest.Compared(), "judged": resulttest.Judged(), "measured": resulttest.Measured(),
		"rows": resulttest.Rows(), "traced": resulttest.Traced(), "flaky": resulttest.Flaky(), "gated": resulttest.Gated(),
	} {
		for i := range run.Briefs.Len() {
			raw, err := run.Trials.Raw(i)
			if err != nil {
				t.Fatal(err)
			}
			var got, want result.Trial
			if !jsonread.Decode(raw, &got) {
				t.Errorf("%s: the trial %d is left to encoding/json: %s", name, i, raw)
			}
			in := json.NewDecoder(bytes.NewReader(raw))
			in.UseNumber()
			if err := in.Decode(&want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: the trial %d: %s", name, i, diff)
			}
		}
	}
}
