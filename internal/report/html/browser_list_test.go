package html_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/result/resulttest"
)

const rows = `[...document.querySelectorAll(".trials tbody a[data-id]")].map((a) => a.dataset.id)`

func (p *tab) rows() []string {
	p.t.Helper()
	return eval[[]string](p, rows)
}

// shows waits until the list shows these trials.
func (p *tab) shows(want ...string) {
	p.t.Helper()
	list, err := json.Marshal(append([]string{}, want...))
	if err != nil {
		p.t.Fatal(err)
	}
	p.until(fmt.Sprintf(`JSON.stringify(%s) === JSON.stringify(%s)`, rows, list))
}

const (
	happy   = "refund-happy-path/gpt-4o-mini/default"
	outside = "refund-outside-window/gpt-4o-mini/default"
	hello   = "greeting/gpt-4o-mini/default"
)

// simulated: what a mock says costs nobody anything, and no place of the page leaves that out.
func simulated(t *testing.T, b *browser) {
	const mocked = "refund-happy-path/mock/default"
	p := b.open(t, resulttest.PartlyMocked(), "#/trials")
	cost := `[...document.querySelectorAll(".trials tbody tr")].find((r) => r.querySelector("a").dataset.id === %q)` +
		`.querySelector(".col-cost").textContent.endsWith(" simulated") === %v`
	p.until(fmt.Sprintf(cost, mocked, true))
	p.until(fmt.Sprintf(cost, happy, false))
	p.until(`document.querySelector(".totals").textContent.includes(" of it simulated, agents")`)
	p.click(fmt.Sprintf("a[data-id=%q]", mocked))
	p.until(`/\$[0-9.]+ simulated/.test(document.querySelector("dl.facts")?.textContent)`)
}

func filters(t *testing.T, b *browser) {
	p := b.open(t, resulttest.OneFailed(), "#/trials")
	p.shows(outside, happy, hello) // worst first
	p.click(".chip.failed")
	p.shows(outside)
	p.until(`location.hash === "#/trials?status=failed"`)
	p.until(`document.querySelector(".shown").textContent === "1 of 3 trials"`)
	p.click(".chip.passed")
	p.shows(outside, happy, hello)
	p.click(".chip.failed")
	p.shows(happy, hello)

	p.click(".facet:nth-of-type(2) summary") // tags
	p.until(`document.querySelector(".facet[open] input[type=checkbox]")`)
	labels := eval[[]string](p,
		`[...document.querySelectorAll(".facet[open] label")].map((l) => l.innerText.replace(/\s+/g, " "))`)
	if diff := cmp.Diff([]string{"smoke 2", "refund 1"}, labels); diff != "" {
		t.Errorf("values of the open menu (-want +got):\n%s", diff)
	}
	p.click(".facet[open] label:nth-child(2)")
	p.shows(happy)
	p.press(kb.Escape)
	p.until(`!document.querySelector(".facet[open]")`)
	p.click(".pill")
	p.shows(happy, hello)
	p.click(".state button.quiet")
	p.shows(outside, happy, hello)

	p.click(".col-time button")
	p.until(`location.hash === "#/trials?sort=time"`)
	p.shows(happy, outside, hello)
	p.click(".col-time button")
	p.shows(hello, outside, happy)
	p.visit("#/trials?check=contains")
	p.shows(outside)
	p.visit("#/trials?scenario=nothing")
	p.shows()
	p.until(`document.querySelector(".foot").textContent === "No trial matches."`)
	p.clean()
}

func search(t *testing.T, b *browser) {
	p := b.open(t, resulttest.OneFailed(), "#/trials")
	p.press("/")
	p.until(`document.activeElement.id === "search"`)
	p.press("45 DAYS")
	p.shows(outside)
	p.until(`location.hash === "#/trials?q=45+DAYS"`)
	p.until(`document.querySelector(".snippet mark").textContent === "45"`)
	p.visit("#/trials?q=" + url.QueryEscape(`"money back" lamp`))
	p.shows(outside)
	p.visit("#/trials?q=issue_refund+%22A-1001%22") // tools and their arguments
	p.shows(outside, happy)
	p.visit("#/trials?q=" + url.QueryEscape(`"30 days of the purchase"`)) // the system prompt is no conversation
	p.shows()
	p.clean()
}

func keyboard(t *testing.T, b *browser) {
	p := b.open(t, resulttest.OneFailed(), "#/")
	focused := func(id string) { t.Helper(); p.until(fmt.Sprintf(`document.activeElement.dataset.id === %q`, id)) }
	opened := func(id string) {
		t.Helper()
		p.until(fmt.Sprintf(`document.title.startsWith("%s ") && document.activeElement.id === "trial-title"`, id))
	}
	p.press("?")
	p.until(`document.getElementById("help").open`)
	p.press(kb.Escape)
	p.until(`!document.getElementById("help").open`)
	p.press("j")
	p.until(`location.hash === "#/trials"`)
	p.press("j")
	focused(outside)
	p.press("j")
	focused(happy)
	p.press("k")
	focused(outside)
	p.press(kb.Enter)
	opened(outside)
	p.press("j")
	opened(happy)
	p.press("j")
	opened(hello)
	p.press("k")
	opened(happy)
	p.press("f")
	p.until(`document.querySelector(".walk .at").textContent === "not in the filtered list"`)
	p.press("j")
	opened(outside)
	p.until(`document.querySelector(".walk .at").textContent === "1 of 1 filtered"`)
	p.press(kb.Escape)
	p.shows(outside)
	focused(outside)
	p.press("f")
	p.shows(outside, happy, hello)
	p.press(kb.Escape)
	p.until(`location.hash === "#/"`)
	p.press("/")
	p.until(`document.activeElement.id === "search"`)
	p.press("jf")
	p.until(`document.getElementById("search").value === "jf"`)
	p.clean()
}

func manyTrials(t *testing.T, b *browser) {
	for _, n := range []int{2000, 10_000} {
		run := resulttest.Big(n)
		p := b.open(t, run, "#/")
		timed := func(what string, f func()) {
			t.Helper()
			start := time.Now()
			f()
			t.Logf("%d trials: %s took %d ms", n, what, time.Since(start).Milliseconds())
		}
		timed("opening", func() { p.visit("#/") })
		timed("the list", func() {
			p.click("[data-view=trials]")
			p.until(`document.querySelectorAll(".trials tbody tr").length >= 100`)
		})
		search := func() {
			eval[bool](p, `(location.hash = "#/trials?q=carrier+shipped", true)`)
			p.until(`document.querySelector("progress").hidden && document.querySelector(".snippet")`)
		}
		timed("the first search", search)
		timed("filtering", func() {
			eval[bool](p, `(location.hash = "#/trials?q=carrier+shipped&provider=gpt-4o&status=failed", true)`)
			p.until(`!document.querySelector(".trials tbody tr.passed")`)
		})
		timed("the second search", search)
		if got := len(p.rows()); got < 100 || got >= n {
			t.Errorf("got %d rows at once", got)
		}
		last := run.Briefs.At(n - 1).ID
		timed("the last trial", func() { p.visit(toTrial(last)); p.until(`document.querySelector(".trial .turn")`) })
		p.clean()
	}
}
