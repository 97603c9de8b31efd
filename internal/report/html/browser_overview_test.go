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
	if got, want := eval[string](p, `document.querySelector(".answer").textContent`), "gpt-4o passes most (12 of 12; the "+
		"lead may be chance); gpt-4o-mini costs least ($0.0002 a trial); claude-haiku answers fastest (0.3s in the median)."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got := eval[[]string](p, `[...document.querySelectorAll(".providers tbody tr")].map((r) =>
		[...r.children].map((c) => c.textContent).join(" | "))`)
	want := []string{
		"gpt-4o | 100%12 of 12 (best) | $0.0373 | $0.0031 | 0.9s | 1.6s | 3,284",
		"claude-haiku | 75%9 of 12, 3 failed | $0.0064 | $0.0005 | 0.3s (best) | 0.6s | 3,640",
		"gpt-4o-mini | 50%6 of 12, 6 failed | $0.0025 | $0.0002 (best) | 0.5s | 0.9s | 3,624",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	p.clean()

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
		for _, b := range run.Briefs {
			red := b.Status == result.Failed || b.Status == result.Errored
			if red && !b.Tolerated && !eval[bool](p, `!!document.querySelector("#failures")`) {
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
