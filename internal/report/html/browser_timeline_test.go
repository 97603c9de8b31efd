package html_test

import (
	"testing"

	"github.com/arena-evals/arena/internal/result/resulttest"
)

// rowsOfTrace are what the rows of the first trace say, and where their bars are.
const rowsOfTrace = `[...document.querySelector(".timeline").querySelectorAll(".did > summary")].map((s) =>
	s.innerText.replace(/\s+/g, " ").trim() + ((r) =>
		r ? " [" + r.getAttribute("x") + " " + r.getAttribute("width") + "]" : "")(
		s.querySelector("rect")))`

func traceIsDrawn(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Traced(), toTrial("order/shop-agent/default"))
	p.until(`document.querySelectorAll(".timeline[open]").length === 2`)
	p.same([]string{
		"Trace 2 model calls · 2 tool calls · 4 other spans · 4.2s ! 2 failed", "Trace 1 model call · 1.2ms",
	}, eval[[]string](p, `[...document.querySelectorAll(".timeline > summary")].
		map((s) => s.innerText.replace(/\s+/g, " "))`))
	p.same([]string{
		"agent shop agent after 0ms, took 4.2s [0.000% 100.000%]",
		"model chat gpt-4o-mini , 1 level deep after 40ms, took 1.3s 450 tokens $0.0021 [0.952% 31.190%]",
		"tool find_order , 1 level deep after 1.4s, took 95ms [32.619% 2.262%]",
		"SELECT orders WHERE number = ? , 2 levels deep after 1.4s, took 71ms [32.857% 1.690%]",
		"! error tool track_parcel , 1 level deep after 1.5s, took 1.0s [35.238% 23.810%]",
		"! error GET https://carrier.example/v2/parcels/parcels/parcels/parcels/parcels/parcels/p… , 2 levels deep " +
			"after 1.5s, took 1.0s [35.286% 23.714%]",
		"model chat gpt-4o-mini , 1 level deep after 2.5s, took 1.6s 1,041 tokens $0.0047 [60.000% 39.048%]",
		"a span of nobody no time that counts",
	}, eval[[]string](p, rowsOfTrace))
	if eval[bool](p, `!!document.querySelector(".timeline [style]")`) {
		t.Error("a bar has a style of its own, which the policy forbids")
	}
	eval[bool](p, `(document.querySelector(".did.of-model > summary").focus(), true)`)
	p.press("\r")
	p.until(`document.querySelector(".did.of-model[open] .inside").innerText.includes("I look the order up.")`)
	p.press("\t\r") // the next row
	p.until(`document.querySelector(".did.of-tool[open]")`)
	p.accessible("a trace")
	p.clean()
}

func longTraceIsDrawn(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Traced(), toTrial("crawl/shop-agent/default"))
	p.until(`document.querySelector(".timeline:not([open])")`)
	if n := eval[int](p, `document.querySelectorAll(".did").length`); n != 0 {
		t.Errorf("%d rows of a trace that nobody opened", n)
	}
	eval[bool](p, `(document.querySelector(".timeline > summary").focus(), true)`)
	p.press("\r")
	p.until(`document.querySelectorAll(".did").length === 100`)
	p.same([]string{"Show 100 more of 400", "7,500 more spans counted and are not kept."},
		eval[[]string](p, `[...document.querySelectorAll(".timeline > .more, .timeline > p")].map((e) => e.innerText)`))
	for range 4 {
		p.click(".timeline > .more")
	}
	p.until(`document.querySelectorAll(".did").length === 500 && document.querySelector(".timeline > .more").hidden`)
	if got := eval[string](p, `document.activeElement.innerText`); got == "" {
		t.Error("the focus is lost")
	}
	p.accessible("a long trace")
	p.clean()
}

func hostileTraceIsDrawn(t *testing.T, b *browser) {
	run := resulttest.Hostile()
	p := b.open(t, run, toTrial(run.Briefs.At(0).ID))
	p.until(`document.querySelectorAll(".timeline .did").length === 2`)
	if eval[bool](p, `!!document.querySelector(".timeline script, .timeline img, .timeline [x='NaN%']")`) {
		t.Error("a trace became markup, or a bar is nowhere")
	}
	p.same([]string{"of-model", "of-other"}, eval[[]string](p,
		`[...document.querySelectorAll(".timeline .did")].map((s) => s.classList[1])`))
	p.accessible("a hostile trace")
	p.clean()
}
