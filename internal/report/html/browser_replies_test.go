package html_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/result/resulttest"
)

// repliesSideBySide: what each provider answered to a scenario stands in one row, with what differs marked.
func repliesSideBySide(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Compared(), "#/")
	p.press("s")
	p.until(`location.hash === "#/replies" && document.querySelectorAll(".scenario:not(.waiting)").length >= 3`)
	p.accessible("side by side")
	scenarios := eval[[]string](p, `[...document.querySelectorAll(".scenario > h2 a")].map((a) => a.textContent)`)
	want := []string{"refund-window", "address-change", "ticket-as-json", "order-status", "rude-customer", "opening-hours"}
	if diff := cmp.Diff(want, scenarios); diff != "" {
		t.Errorf("scenarios, worst first (-want +got):\n%s", diff)
	}
	cells := func(scenario, row string) []string {
		t.Helper()
		p.until(`document.querySelector('.scenario[aria-label="` + scenario + `"]:not(.waiting)')`)
		return eval[[]string](p, `[...document.querySelectorAll('.scenario[aria-label="`+scenario+`"] `+row+` td')].map((td) =>
			td.innerHTML.replace(/<(ins|del)>(.*?)<.(ins|del)>/g, "[$1 $2]").replace(/<.*?>/g, "").trim())`)
	}
	got := cells("refund-window", "tbody tr:nth-child(4)")
	for i, want := range []string{
		"I am sorry, a refund is possible within 30 days of the purchase only. Your order is 45 days old.",
		`issue_refund(amount=49.99, order_id="A-1001")Sure! I have issued`, `issue_refund(amount=49.99, order_id="A-1001")Sure! I have issued`,
	} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("reply %d: got %q, want %q", i, got[i], want)
		}
	}
	results := cells("refund-window", ".results")
	if want := "✗ failed$0.0004 · 1.4stools_not_called: called once: issue_refund"; results[1] != want {
		t.Errorf("got %q, want %q", results[1], want)
	}
	if n := eval[int](p, `document.querySelectorAll(".scenario[aria-label='refund-window'] .calls .differs").length`); n != 2 {
		t.Errorf("%d calls are marked, want 2", n)
	}

	// The second trial, and another baseline.
	p.visit("#/replies?scenario=order-status&scenario=opening-hours")
	p.click(".switch .chip:nth-of-type(2)")
	p.until(`location.hash.includes("n=2")`)
	if diff := cmp.Diff([]string{
		"[del Your order] A-1001 has shipped [del and arrives] on [del Thursday].",
		"[ins Order] A-1001 has shipped[ins . It] arrives on Thursday.",
		"Your order A-1001 has [ins been] shipped and [ins will arrive] on [ins Friday].",
	}, cells("order-status", "tbody tr:nth-child(2)")); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"We are open from 9 to 18, Monday to [del Friday].", "We are open from 9 to 18, Monday to Friday.",
		"We are open from 9 to 18, Monday to [ins Saturday].",
	}, cells("opening-hours", "tbody tr:nth-child(2)")); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
	eval[bool](p, `(() => { const s = document.querySelector(".switches label select");
		s.value = "claude-haiku"; s.dispatchEvent(new Event("change")); return true; })()`)
	p.until(`location.hash.includes("with=claude-haiku")`)
	if diff := cmp.Diff([]string{
		"We are open from 9 to 18, Monday to [ins Friday].", "We are open from 9 to 18, Monday to [ins Friday].",
		"We are open from 9 to 18, Monday to [del Saturday].",
	}, cells("opening-hours", "tbody tr:nth-child(2)")); diff != "" {
		t.Errorf("replies against another one (-want +got):\n%s", diff)
	}

	p.visit("#/replies?show=split")
	p.until(`document.querySelector(".replies .shown").textContent === "3 of 6 scenarios"`)
	p.visit("#/replies?show=failed&n=2")
	p.until(`document.querySelector(".replies .shown").textContent === "4 of 6 scenarios"`)
	p.press("j")
	p.until(`document.activeElement.textContent === "refund-window"`)
	p.click(".scenario .verdict-line")
	p.until(`document.title.startsWith("refund-window/gpt-4o/default#2")`)
	p.press("s")
	p.until(`location.hash === "#/replies?scenario=refund-window&n=2"`)
	p.press(kb.Escape)
	p.until(`location.hash === "#/"`)
	p.clean()
}

// repliesOfManyTrials: the texts are read when their row comes near, whatever their number.
func repliesOfManyTrials(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Big(10_000), "#/replies")
	p.until(`document.querySelectorAll(".scenario:not(.waiting)").length >= 2`)
	if n := eval[int](p, `document.querySelectorAll(".scenario").length`); n > 100 {
		t.Errorf("%d scenarios at once", n)
	}
	for range 3 {
		n := eval[int](p, `document.querySelectorAll(".scenario").length`)
		eval[bool](p, `(scrollTo(0, document.body.scrollHeight), true)`)
		p.until(`document.querySelectorAll(".scenario").length > ` + strconv.Itoa(n))
		p.until(`document.querySelector(".scenario:last-of-type") && document.querySelectorAll(".scenario:not(.waiting)").length > 3`)
	}
	p.clean()
}

// hostileReplies: what models say stays text where it stands side by side.
func hostileReplies(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Hostile(), "#/replies")
	p.until(`document.querySelectorAll(".scenario.waiting").length === 0`)
	p.accessible("hostile replies")
	if eval[bool](p, `!!document.querySelector(".scenario img, .scenario script, .scenario iframe")`) {
		t.Error("a reply became markup")
	}
	p.clean()
	p = b.open(t, resulttest.NewRun("none"), "#/replies")
	p.until(`document.querySelector(".replies .empty")`)
	p.clean()
}
