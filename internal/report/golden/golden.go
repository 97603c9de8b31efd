// Package golden compares the output of a test with a file in testdata, and rewrites the file under -update.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Check compares got with testdata/name. But for results.json no report shows the state of a provider.
func Check(t *testing.T, name string, got []byte) {
	t.Helper()
	if bytes.Contains(got, []byte(resulttest.Sealed)) {
		t.Errorf("%s shows what is for the provider only", name)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test -update writes it", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

// Fixture is a run with the name of its golden file.
type Fixture struct {
	Name  string
	Build func() *result.Run
}

// Fixtures are the runs that every report format is tested with.
func Fixtures() []Fixture {
	return []Fixture{
		{"passed", resulttest.AllPassed},
		{"failed", resulttest.OneFailed},
		{"errored", resulttest.Errored},
		{"cancelled", resulttest.Cancelled},
		{"flaky", resulttest.Flaky},
		{"judged", resulttest.Judged},
		{"measured", resulttest.Measured},
		{"rows", resulttest.Rows},
		{"workflow", func() *result.Run { return resulttest.Workflow(3) }},
		{"gated", resulttest.Gated},
		{"allowed", resulttest.AllGated},
		{"stopped", resulttest.HostileGate},
		{"hostile", resulttest.Hostile},
	}
}
