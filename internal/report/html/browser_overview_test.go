package html_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// providersAreCompared: the first page says which provider to take.
func providersAreCompared(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Compared(), "#/")
	if got, want := eval[string](p, `document.querySelector(".answer").textContent`), "gpt-4o passes most scenarios (6 of 6; "+
		"the lead may be chance); gpt-4o-mini costs least ($0.0002 a trial); claude-haiku answers fastest (0.3s in the median)."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got := eval[[]string](p, `[...document.querySelectorAll(".providers tbody tr")].map((r) =>
		[...r.children].map((c) => c.textContent).join(" | "))`)
	want := []string{
		"gpt-4o | 100%6 of 6 scenarios, 12 of 12 trials (best) | $0.0373 | $0.0031 | 0.9s | 1.6s | 3,284",
		"claude-haiku | 66.7%4 of 6 scenarios, 9 of 12 trials, 3 failed | $0.0064 | $0.0005 | 0.3s (best) | 0.6s | 3,640",
		"gpt-4o-mini | 50%3 of 6 scenarios, 6 of 12 trials, 6 failed | $0.0025 | $0.0002 (best) | 0.5s | 0.9s | 3,624",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	p.clean()

	// Scenarios that pass count for more than trials, and a failure that the files tolerate for less than any other. A
	// lead of a few milliseconds is none.
	p = b.open(t, resulttest.Tolerated(), "#/")
	if got, want := eval[string](p, `document.querySelector(".answer").textContent`), "claude-haiku passes most scenarios "+
		"(2 of 2; the lead may be chance)."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got = eval[[]string](p, `[...document.querySelectorAll(".providers tbody tr")].map((r) =>
		[r.children[0], r.children[1]].map((c) => c.textContent).join(" | "))`)
	want = []string{
		"claude-haiku | 100%2 of 2 scenarios, 3 of 5 trials, 2 tolerated (best)",
		"gpt-4o-mini | 50%1 of 2 scenarios, 4 of 5 trials, 1 failed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows of tolerated failures (-want +got):\n%s", diff)
	}
	p.clean()
	for _, c := range []struct {
		trials int
		times  float64
		leads  int // stars
	}{{6, 2, 0}, {7, 2, 2}, {7, 1.05, 0}, {40, 1.05, 0}, {40, 1.2, 2}} {
		p = b.open(t, resulttest.Raced(c.trials, c.times), "#/")
		if n := eval[int](p, `document.querySelectorAll(".providers .best").length`); n != c.leads {
			t.Errorf("%d trials, %v times as much: %d leads, want %d: %s", c.trials, c.times, n, c.leads,
				eval[string](p, `document.querySelector(".answer").textContent`))
		}
		p.clean()
	}

	// A provider that has no price or no trial of a scenario is not held against the others.
	p = b.open(t, resulttest.Errored(), "#/")
	if got := eval[string](p, `document.querySelector(".answer").textContent`); !strings.Contains(got, "cannot be compared") {
		t.Errorf("of different trials: %q", got)
	}
	p = b.open(t, resulttest.OneFailed(), "#/")
	if eval[bool](p, `!!document.querySelector(".providers")`) {
		t.Error("one provider is compared with none")
	}
	p.clean()
}

// failuresAreGrouped: the first page tells each failure once, as the terminal does, with or without the script.
func failuresAreGrouped(t *testing.T, b *browser) {
	for _, f := range append(golden.Fixtures(), golden.Fixture{Name: "three", Build: resulttest.Compared}) {
		run := f.Build()
		p := b.open(t, run, "#/")
		for _, b := range run.Briefs.All() {
			red := b.Status == result.Failed || b.Status == result.Errored
			if red && !b.Tolerated && !b.Outvoted && !eval[bool](p, `!!document.querySelector("#failures")`) {
				t.Errorf("%s: no failures are told", f.Name)
			}
		}
		p.clean()
	}
	p := b.open(t, resulttest.Compared(), "#/")
	p.until(`document.querySelector(".overview #failures")`)
	text := eval[string](p, `document.querySelector(".failure").innerText`)
	for _, want := range []string{
		"refund-window", "2 providers", "× 4 trials", "gpt-4o-mini #1, gpt-4o-mini #2, claude-haiku #1, claude-haiku #2",
		"turn 2", "can I still get my money back?", "Sure! I have issued a refund", `issue_refund(amount=49.99, order_id="A-1001")`,
		"tools_not_called", "must not refund outside the window", "called once: issue_refund", "scenarios/support.yaml:10",
		`missing "30 days"`, "again: arena run scenarios/support.yaml --scenario refund-window --provider gpt-4o-mini",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the failure does not show %q:\n%s", want, text)
		}
	}
	if n := eval[int](p, `document.querySelectorAll(".failure").length`); n != 4 {
		t.Errorf("got %d failures, want 4", n)
	}
	p.click(".failure .members a:nth-of-type(3)")
	p.until(`document.title.startsWith("refund-window/claude-haiku/default#1")`)
	p.clean()
}
