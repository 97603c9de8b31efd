package markdown_test

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/report/markdown"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

func write(t testing.TB, run *result.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := markdown.Write(&b, run, markdown.Options{Rerun: rerun}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func rerun(trials ...*result.Brief) string {
	b := trials[0]
	return "arena run " + b.File + " --scenario " + b.Scenario
}

func TestWrite(t *testing.T) {
	t.Parallel()
	for _, f := range golden.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			got := write(t, f.Build())
			golden.Check(t, f.Name+".md", []byte(got))
			inert(t, got)
		})
	}
}

// TestSize holds the report to what a comment on GitHub may be, and to saying what was left out.
func TestSize(t *testing.T) {
	t.Parallel()
	for _, n := range []int{100, 1000, 10_000} {
		run := resulttest.Big(n)
		got := write(t, run)
		if size := utf8.RuneCountInString(got); size > 65_536 {
			t.Errorf("%d trials: %d characters", n, size)
		}
		inert(t, got)
		failures, err := show.Failures(run)
		if err != nil {
			t.Fatal(err)
		}
		shown := strings.Count(got, "<details open>") + strings.Count(got, "<details><summary>✗") +
			strings.Count(got, "<details><summary>!")
		if left := len(failures) - shown; left > 0 && !strings.Contains(got, "… and "+show.Count(left)+" more\n") {
			t.Errorf("%d trials: %d failures are left out in silence", n, left)
		}
	}
}

var (
	ownTags = regexp.MustCompile(`</?(details|details open|summary|b)>`)
	escaped = regexp.MustCompile(`\\[[:punct:]]|&[#a-z0-9]+;`)
	alive   = regexp.MustCompile("[<`\\[\\]*~]|[@#:][[:alnum:]]|://|www\\.[[:alnum:]]")
)

// inert fails when text outside of code could be anything but text, or a table's row has another number of cells than
// its head.
func inert(t *testing.T, report string) {
	t.Helper()
	fence, bars := "", 0
	for line := range strings.Lines(report) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case fence != "":
			if line == fence {
				fence = ""
			}
			continue
		case strings.HasPrefix(line, "```"):
			fence = strings.TrimRight(line, "abcdefghijklmnopqrstuvwxyz")
			continue
		case strings.HasPrefix(line, "`"): // a place, which is code as a whole
			ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
			if strings.Count(line, ticks) != 2 || !strings.HasSuffix(line, ticks) {
				t.Errorf("code that ends too soon: %q", line)
			}
			continue
		}
		if strings.HasPrefix(line, "<details") { // HTML, in which no Markdown is read
			line = strings.NewReplacer("`", "", "[", "", "]", "", "*", "", "~", "").Replace(line)
		}
		rest := escaped.ReplaceAllString(ownTags.ReplaceAllString(line, ""), "")
		heading := strings.TrimLeft(rest, "#")
		if strings.Contains(rest, "|---") || strings.Contains(rest, ":-:") {
			heading = ""
		}
		if m := alive.FindString(heading); m != "" {
			t.Errorf("%q is not inert in %q", m, line)
		}
		if !strings.HasPrefix(line, "|") {
			bars = 0
			continue
		}
		n := strings.Count(rest, "|")
		if bars != 0 && n != bars {
			t.Errorf("%d cells, the table has %d: %q", n-1, bars-1, line)
		}
		bars = n
	}
	if fence != "" {
		t.Errorf("a fence is not closed")
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	run := resulttest.OneFailed()
	run.Trials = resulttest.Memory(nil)
	if err := markdown.Write(io.Discard, run, markdown.Options{}); err == nil {
		t.Error("failures that cannot be read were left out in silence")
	}
	if err := markdown.Write(fullDisk{}, resulttest.OneFailed(), markdown.Options{}); !errors.Is(err, errFull) {
		t.Errorf("full disk: got %v", err)
	}
}

var errFull = errors.New("no space left on device")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }
