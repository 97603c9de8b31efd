package github_test

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/report/github"
	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

func write(t testing.TB, run *result.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := github.Write(&b, run, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrite(t *testing.T) {
	t.Parallel()
	for _, f := range golden.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			got := write(t, f.Build())
			golden.Check(t, f.Name+".txt", []byte(got))
			wellFormed(t, got)
		})
	}
}

var commandForm = regexp.MustCompile(`^::(error|warning|notice) (file=[^:,]+,)?(line=[0-9]+,)?title=[^:,]+::.+$`)

func wellFormed(t *testing.T, output string) {
	t.Helper()
	for line := range strings.Lines(output) {
		if !commandForm.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("not a command: %q", line)
		}
	}
}

func TestTenOfAKind(t *testing.T) {
	t.Parallel()
	run := resulttest.Big(1000)
	for range 15 {
		run.Warnings = append(run.Warnings, "something")
	}
	got := write(t, run)
	wellFormed(t, got)
	for _, kind := range []string{"::error ", "::warning "} {
		if n := strings.Count(got, kind); n != 10 {
			t.Errorf("%d of %q", n, kind)
		}
	}
	if n := strings.Count(got, "::notice "); n != 1 || !strings.Contains(got, "more problems in the reports") {
		t.Errorf("%d notices in\n%s", n, got)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	run := resulttest.OneFailed()
	run.Trials = resulttest.Memory(nil)
	if err := github.Write(io.Discard, run, nil); err == nil {
		t.Error("failures that cannot be read were left out in silence")
	}
	if err := github.Write(fullDisk{}, resulttest.OneFailed(), nil); !errors.Is(err, errFull) {
		t.Errorf("full disk: got %v", err)
	}
}

var errFull = errors.New("no space left on device")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }
