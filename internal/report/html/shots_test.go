package html_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// openJudged opens what judges said, and scrolls to it.
const openJudged = `document.querySelectorAll(".judged").forEach((d) => (d.open = true)),
	document.querySelector(".turn").scrollIntoView()`

// openAll opens all that judges were asked and said in the whole conversation, and scrolls to it.
const openAll = `document.querySelectorAll(".whole .judged").forEach((d) => (d.open = true)),
	setTimeout(() => document.querySelectorAll(".whole .source").forEach((d) => (d.open = true))),
	document.querySelector(".whole").scrollIntoView()`

// toVerdict scrolls to the first turn.
const toVerdict = `document.querySelector(".turn").scrollIntoView()`

// toTrace scrolls to the first trace, and openSpans opens two of its spans.
const (
	toTrace   = `document.querySelector(".timeline").scrollIntoView({block: "center"})`
	openSpans = `document.querySelectorAll(".of-model, .broke").forEach((d) => (d.open = true)), ` + toTrace
)

// TestShots takes pictures of the report for people to look at, into the directory named by ARENA_SHOTS.
func TestShots(t *testing.T) {
	dir := os.Getenv("ARENA_SHOTS")
	if dir == "" {
		t.Skip("ARENA_SHOTS names no directory for the pictures")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b := startBrowser(t)
	pages := []struct {
		name  string
		run   *result.Run
		place string
		then  string // an expression that the page runs before the picture; may be empty
	}{
		{"three-overview", resulttest.Compared(), "#/", ""},
		{"three-trial", resulttest.Compared(), "#/trial/refund-window%2Fgpt-4o-mini%2Fdefault%231", ""},
		{"three-diff", resulttest.Compared(), "#/trial/address-change%2Fgpt-4o-mini%2Fdefault%231", toVerdict},
		{"three-guard", resulttest.Compared(), "#/trial/rude-customer%2Fgpt-4o%2Fdefault%231", toVerdict},
		{"three-replies", resulttest.Compared(), "#/replies", ""},
		{"passed-overview", resulttest.AllPassed(), "#/", ""},
		{"passed-trial", resulttest.AllPassed(), "#/trial/refund-happy-path%2Fgpt-4o-mini%2Fdefault", ""},
		{"failed-overview", resulttest.OneFailed(), "#/", ""},
		{"failed-list", resulttest.OneFailed(), "#/trials", ""},
		{"failed-trial", resulttest.OneFailed(), "#/trial/refund-outside-window%2Fgpt-4o-mini%2Fdefault", ""},
		{"errored-overview", resulttest.Errored(), "#/", ""},
		{"errored-trial", resulttest.Errored(), "#/trial/order-status-unclear%2Fclaude-haiku%2Fdefault", ""},
		{"cancelled-overview", resulttest.Cancelled(), "#/", ""},
		{"judged-overview", resulttest.Judged(), "#/", ""},
		{"judged-trial", resulttest.Judged(), "#/trial/refund-status%2Fgpt-4o-mini%2Fdefault", openJudged},
		{"judged-whole", resulttest.Judged(), "#/trial/refund-status%2Fgpt-4o-mini%2Fdefault", openAll},
		{"judged-error", resulttest.Judged(), "#/trial/other-customer%2Fgpt-4o-mini%2Fdefault", openJudged},
		{"judged-retrieval", resulttest.Judged(), "#/trial/return-window%2Fgpt-4o-mini%2Fdefault", ""},
		{"judged-gate", resulttest.Judged(), "#/trial/cancel-order%2Fgpt-4o-mini%2Fdefault", ""},
		{"rows-overview", resulttest.Rows(), "#/", ""},
		{"flaky-overview", resulttest.Flaky(), "#/", ""},
		{"flaky-list", resulttest.Flaky(), "#/trials", ""},
		{"gated-overview", resulttest.Gated(), "#/", ""},
		{"gated-rates", resulttest.Gated(), "#/", `document.getElementById("rates").scrollIntoView()`},
		{"gated-trial", resulttest.Gated(), toTrial("address-change/gpt-4o-mini/default#2"), ""},
		{"workflow-overview", resulttest.Workflow(30), "#/", ""},
		{"workflow-trial", resulttest.Workflow(3), "#/trial/support-0%2Fgpt-4o%2Fdefault", ""},
		{"workflow-circle", resulttest.Workflow(3), "#/trial/support-1%2Fgpt-4o%2Fdefault", ""},
		{"workflow-stays", resulttest.Workflow(3), "#/trial/support-2%2Fgpt-4o%2Fdefault", ""},
		{"traced-trial", resulttest.Traced(), toTrial("order/shop-agent/default"), toTrace},
		{"traced-open", resulttest.Traced(), toTrial("order/shop-agent/default"), openSpans},
		{"traced-many", resulttest.Traced(), toTrial("crawl/shop-agent/default"), toTrace},
		{"hostile-overview", resulttest.Hostile(), "#/", ""},
		{"hostile-list", resulttest.Hostile(), "#/trials", ""},
		{"hostile-trial", resulttest.Hostile(), "#/trial/misshapen%2F%2Fdefault", ""},
		{"hostile-pictures", resulttest.Hostile(), "#/trial/pictures%2Fmock%2Fdefault", ""},
		{"big-overview", resulttest.Big(2000), "#/", ""},
		{"big-list", resulttest.Big(2000), "#/trials?status=failed&provider=gpt-4o&q=carrier", ""},
		{"big-menu", resulttest.Big(2000), "#/trials", `document.querySelector(".facet:last-child summary").click()`},
		{"big-help", resulttest.Big(20), "#/trials", `document.getElementById("help").showModal()`},
	}
	looks := []look{
		{"light", 1280, 900, "light", "screen"}, {"dark", 1280, 900, "dark", "screen"},
		{"wide-light", 1920, 1080, "light", "screen"}, {"wide-dark", 1920, 1080, "dark", "screen"},
		{"phone-light", 390, 844, "light", "screen"}, {"phone-dark", 390, 844, "dark", "screen"},
		{"print", 760, 1080, "dark", "print"},
	}
	for _, page := range pages {
		t.Run(page.name, func(t *testing.T) {
			p := b.open(t, page.run, page.place)
			for _, look := range looks {
				p.shootAs(look, page.place, page.then, filepath.Join(dir, page.name+"-"+look.name+".png"))
			}
			p.clean()
		})
	}
}

// look is a screen on which a report is seen.
type look struct {
	name          string
	width, height int64
	scheme, media string
}

// shootAs opens a place on a screen, runs an expression there unless it is empty, and takes a picture.
func (p *tab) shootAs(look look, place, then, file string) {
	p.t.Helper()
	p.run(chromedp.EmulateViewport(look.width, look.height))
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media:    look.media,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}},
	})
	p.visit(place)
	p.until(`!document.querySelector("progress:not([hidden])")`)
	if then != "" {
		eval[bool](p, "("+then+", true)")
	}
	p.shoot(file)
}

// shoot writes a picture of what is seen to a file.
func (p *tab) shoot(file string) {
	p.t.Helper()
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
