package resulttest_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

var fixtures = map[string]struct {
	build              func() *result.Run
	status             result.Status
	trials, unfinished int
}{
	"all passed": {resulttest.AllPassed, result.Passed, 4, 0},
	"one failed": {resulttest.OneFailed, result.Failed, 3, 0},
	"errored":    {resulttest.Errored, result.Errored, 4, 0},
	"cancelled":  {resulttest.Cancelled, result.Cancelled, 3, 7},
	"flaky":      {resulttest.Flaky, result.Failed, 15, 0},
	"judged":     {resulttest.Judged, result.Failed, 5, 0},
	"measured":   {resulttest.Measured, result.Failed, 2, 0},
	"rows":       {resulttest.Rows, result.Failed, 28, 0},
	"workflow":   {func() *result.Run { return resulttest.Workflow(3) }, result.Failed, 3, 0},
	"gated":      {resulttest.Gated, result.Failed, 149, 0},
	"all gated":  {resulttest.AllGated, result.Passed, 66, 0},
	"gate":       {resulttest.HostileGate, result.Cancelled, 8, 46},
	"hostile":    {resulttest.Hostile, result.Failed, 4, 0},
	"big":        {func() *result.Run { return resulttest.Big(100) }, result.Failed, 100, 0},
}

func TestFixturesAreWhatTheirNamesSay(t *testing.T) {
	t.Parallel()
	for name, f := range fixtures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := f.build()
			if run.Status != f.status || run.Briefs.Len() != f.trials || run.Unfinished() != f.unfinished {
				t.Errorf("got %s, %d of %d trials; want %s, %d and %d unfinished",
					run.Status, run.Briefs.Len(), run.Planned, f.status, f.trials, f.unfinished)
			}
		})
	}
}

func TestFixturesRepeat(t *testing.T) {
	t.Parallel()
	for name, f := range fixtures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := f.build(), f.build()
			for i := range a.Briefs.Len() {
				first, second := raw(t, a, i), raw(t, b, i)
				if !bytes.Equal(first, second) {
					t.Errorf("trial %d differs:\n%s", i, cmp.Diff(string(first), string(second)))
				}
				var back result.Trial
				if err := json.Unmarshal(first, &back); err != nil {
					t.Errorf("trial %d does not read back: %v", i, err)
				}
				if back.ID == "" || back.Status != a.Briefs.At(i).Status {
					t.Errorf("trial %d: got id %q and %s, want %s", i, back.ID, back.Status, a.Briefs.At(i).Status)
				}
			}
		})
	}
}

func TestFlakyTolerates(t *testing.T) {
	t.Parallel()
	run := resulttest.Flaky()
	var got []result.Status
	for _, g := range run.Groups {
		got = append(got, g.Status)
	}
	want := []result.Status{result.Passed, result.Failed, result.Passed}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statuses of the groups (-want +got):\n%s", diff)
	}
	if run.Summary.Tolerated != 1 {
		t.Errorf("tolerated trials: got %d, want 1", run.Summary.Tolerated)
	}
}

func raw(t *testing.T, run *result.Run, i int) []byte {
	t.Helper()
	b, err := run.Trials.Raw(i)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
