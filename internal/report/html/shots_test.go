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
		{"passed-overview", resulttest.AllPassed(), "#/", ""},
		{"passed-trial", resulttest.AllPassed(), "#/trial/refund-happy-path%2Fgpt-4o-mini%2Fdefault", ""},
		{"failed-overview", resulttest.OneFailed(), "#/", ""},
		{"failed-list", resulttest.OneFailed(), "#/trials", ""},
		{"failed-trial", resulttest.OneFailed(), "#/trial/refund-outside-window%2Fgpt-4o-mini%2Fdefault", ""},
		{"errored-overview", resulttest.Errored(), "#/", ""},
		{"errored-trial", resulttest.Errored(), "#/trial/order-status-unclear%2Fclaude-haiku%2Fdefault", ""},
		{"cancelled-overview", resulttest.Cancelled(), "#/", ""},
		{"flaky-overview", resulttest.Flaky(), "#/", ""},
		{"flaky-list", resulttest.Flaky(), "#/trials", ""},
		{"hostile-overview", resulttest.Hostile(), "#/", ""},
		{"hostile-list", resulttest.Hostile(), "#/trials", ""},
		{"hostile-trial", resulttest.Hostile(), "#/trial/misshapen%2F%2Fdefault", ""},
		{"hostile-pictures", resulttest.Hostile(), "#/trial/pictures%2Fmock%2Fdefault", ""},
		{"big-overview", resulttest.Big(2000), "#/", ""},
		{"big-list", resulttest.Big(2000), "#/trials?status=failed&provider=gpt-4o&q=carrier", ""},
		{"big-menu", resulttest.Big(2000), "#/trials", `document.querySelector(".facet:last-child summary").click()`},
		{"big-help", resulttest.Big(20), "#/trials", `document.getElementById("help").showModal()`},
	}
	looks := []struct {
		name   string
		width  int64
		height int64
		scheme string
		media  string
	}{
		{"light", 1440, 900, "light", "screen"}, {"dark", 1440, 900, "dark", "screen"},
		{"phone", 390, 844, "light", "screen"}, {"print", 760, 1080, "dark", "print"},
	}
	for _, page := range pages {
		p := b.open(t, page.run, page.place)
		for _, look := range looks {
			p.run(chromedp.EmulateViewport(look.width, look.height))
			call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Media:    look.media,
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}},
			})
			p.visit(page.place)
			p.until(`!document.querySelector("progress:not([hidden])")`)
			if page.then != "" {
				eval[bool](p, "("+page.then+", true)")
			}
			p.shoot(filepath.Join(dir, page.name+"-"+look.name+".png"))
		}
		p.clean()
	}
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
