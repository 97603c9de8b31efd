package html_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/result/resulttest"
)

func evalsAreShown(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Measured(), "#/")
	p.until(`document.querySelector(".card.measured tbody tr")`)
	rows := eval[[]string](p, `[...document.querySelectorAll(".card.measured tbody tr")].slice(1).
		map((r) => r.innerText.replace(/\s+/g, " ").trim())`)
	want := []string{
		"greeting – 3 3 skipped", "likeness – 3 3 errors: no embedding provider is configured",
		"thorough 0.60 2 ✗ failed 0.40 to 0.80, 1 below the threshold", "tone 0.67 3 0.25 to 1.00",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	p.accessible("the evals of the overview")
	p.visit("#/trial/delivery%2Fgpt-4o-mini%2Fdefault")
	p.until(`document.querySelector(".whole .verdict.failed")`)
	cards := eval[[]string](p, `[...document.querySelectorAll(".turn .verdict .head")].map((r) => r.innerText.replace(/\s+/g, " ")).
		filter((text) => text.length < 60)`)
	want = []string{
		"✓ passed contains score 1.00", "tone score 0.25", "greeting", "likeness",
		"tone score 0.75", "greeting", "likeness", "✗ failed eval thorough score 0.40",
	}
	if diff := cmp.Diff(want, cards); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	p.click(".failed-list .jump")
	if got := eval[string](p, `document.activeElement.innerText`); !strings.Contains(got, "asked for at least 0.50") {
		t.Errorf("the jump leads to %q", got)
	}
	markdown := p.copied("Copy as Markdown")
	for _, want := range []string{
		"- eval `tone` · score 0.25 · `friendly, and a bit short`", "- eval `greeting` · `no tool was called`",
		"- ✗ failed `eval thorough` · `answers the whole question`",
	} {
		if !strings.Contains(markdown, want) {
			t.Errorf("the Markdown has no %q", want)
		}
	}
	p.accessible("the evals of a trial")
	p.clean()
}
