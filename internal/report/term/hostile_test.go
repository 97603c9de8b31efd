package term_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/report/term"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// TestHostileText holds every width to its columns, and every line free of what a terminal or a CI system would obey.
func TestHostileText(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1, 33, 40, 80, 120, 200} {
		for verbosity := range 3 {
			var out bytes.Buffer
			play(t, resulttest.Hostile(), term.Options{Out: &out, Width: columns(width), Verbosity: verbosity})
			for line := range strings.Lines(out.String()) {
				line = strings.TrimSuffix(line, "\n")
				place := strings.Contains(line, "scenarios/") || strings.Contains(line, "../passwd") // never cut
				if got, want := show.Width(line), max(width, 40); got > want && !place {
					t.Errorf("%d columns: a line of %d: %q", want, got, line)
				}
				if ours := strings.ReplaceAll(line, show.Joiner, ""); ours != show.Clean(ours) {
					t.Errorf("not clean: %q", line)
				}
				if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
					t.Errorf("a command to a CI system: %q", line)
				}
			}
		}
	}
}

// TestCommandsInAnswers puts what a CI system obeys at the start of wrapped lines.
func TestCommandsInAnswers(t *testing.T) {
	t.Parallel()
	run := resulttest.OneFailed()
	trial := trialOf(t, run, 1)
	trial.Turns[1].Assistant = "x ##[command]c\n::add-mask::a\n  ::error::b"
	var out bytes.Buffer
	if err := term.New(term.Options{Out: &out}).Finish(run); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{":\u2060:add-mask::a", ":\u2060:error::b", "x ##\u2060[command]c"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
