package cli

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/baseline"
)

func TestFewerPassedIsTold(t *testing.T) {
	t.Parallel()
	group := func(name string, passed, failed int) baseline.Group {
		return baseline.Group{Name: name, Passed: passed, Failed: failed}
	}
	was := baseline.New("s", []baseline.Group{
		group("fell", 20, 0), group("rose", 5, 15), group("as before", 5, 5), group("gone", 1, 0), group("longer", 9, 1),
	})
	now := baseline.New("s", []baseline.Group{
		group("fell", 5, 15), group("rose", 20, 0), group("as before", 10, 10), group("new", 0, 9), group("longer", 17, 3),
	})
	got := fewerPassed(was, now)
	if !strings.Contains(got, "of 2 groups a smaller part passed") ||
		!strings.HasSuffix(got, ": fell (5 of 20, before 20 of 20), longer (17 of 20, before 9 of 10)") {
		t.Errorf("%s", got)
	}
	if got := fewerPassed(was, was); got != "" {
		t.Errorf("the same: %s", got)
	}
}
