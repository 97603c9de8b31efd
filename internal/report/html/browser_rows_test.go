package html_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/result/resulttest"
)

// rowsAreShown: a dataset is told of as a whole, and nothing that stands for all its rows is the status of one of them.
func rowsAreShown(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Rows(), "#/")
	p.until(`document.querySelector(".datasets article")`)
	words := `.map((r) => r.innerText.replace(/\s+/g, " ").trim())`
	heads := eval[[]string](p, `[...document.querySelectorAll(".datasets article > .rows")]`+words)
	want := []string{
		"83.3% 51.6% to 97.9% 10 of 12 rows passed 1 failed 1 error $0.0001, 1.0s per trial",
		"58.3% 27.7% to 84.8% 7 of 12 rows passed 5 failed $0.0001, 1.0s per trial",
		"50% 1.3% to 98.7% 1 of 2 rows passed 1 failed $0.0001, 0.5s per trial",
	}
	if diff := cmp.Diff(want, heads); diff != "" {
		t.Errorf("datasets (-want +got):\n%s", diff)
	}
	checks := eval[[]string](p, `[...document.querySelectorAll(".datasets article:first-child tbody tr")]`+words)
	want = []string{
		"turn 1: contains 83.3% 51.6% to 97.9% 0.91 ± 0.30 10 of 12 passed, 1 not judged",
		"turn 1: llm_judge 91.7% 61.5% to 99.8% 0.84 ± 0.11 11 of 12 passed, 1 not judged",
	}
	if diff := cmp.Diff(want, checks); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
	worst := eval[[]string](p, `[...document.querySelectorAll(".datasets article:first-child .worst li")].
		slice(0, 3)`+words)
	want = []string{"✗ failed country-5 score 0.35", "! error country-8", "✓ passed country-1 score 0.85"}
	if diff := cmp.Diff(want, worst); diff != "" {
		t.Errorf("worst rows (-want +got):\n%s", diff)
	}
	shares := eval[[]string](p, `[...document.querySelectorAll(".providers tbody .share-of")]`+words)
	if diff := cmp.Diff([]string{"78.6%", "58.3%"}, shares); diff != "" {
		t.Errorf("shares of the providers (-want +got):\n%s", diff)
	}
	cells := eval[[]string](p, `[...document.querySelectorAll(".matrix .cell")]`+words)
	if diff := cmp.Diff([]string{"✗ 10/12", "✗ 7/12", "✗ 3/4"}, cells); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	p.accessible("the datasets of the overview")
	p.click(".datasets .worst a")
	p.until(`document.querySelector("#trial-title")?.offsetParent`)
	if got := eval[string](p, `document.querySelector(".about").innerText`); !strings.Contains(got, "row country-5") {
		t.Errorf("the worst row leads to %q", got)
	}
	p.visit("#/replies")
	p.until(`document.querySelector(".replies .scenario h2 a")`)
	if n := eval[int](p, `document.querySelectorAll(".replies .scenario").length`); n != 14 {
		t.Errorf("%d replies side by side, want one for each of 14 rows", n)
	}
	p.clean()
}
