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

// TestAccessibility asks axe-core about every page, on a wide and a narrow screen, light and dark. ARENA_AXE names its
// file: `make accessible` installs it.
func TestAccessibility(t *testing.T) {
	file := os.Getenv("ARENA_AXE")
	if file == "" {
		t.Skip("ARENA_AXE names no axe.min.js")
	}
	axe, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b := startBrowser(t)
	for _, page := range []struct {
		name, place string
		run         *result.Run
	}{
		{"overview", "#/", resulttest.Compared()},
		{"list", "#/trials", resulttest.Compared()},
		{"side by side", "#/replies", resulttest.Compared()},
		{"diff", toTrial("address-change/gpt-4o-mini/default#1"), resulttest.Compared()},
		{"guardrail", toTrial("rude-customer/gpt-4o/default#1"), resulttest.Compared()},
		{"failing trial", toTrial("refund-window/claude-haiku/default#1"), resulttest.Compared()},
		{"judges", toTrial("refund-status/gpt-4o-mini/default"), resulttest.Judged()},
		{"errors", "#/", resulttest.Errored()},
		{"broken trial", toTrial("order-status-unclear/claude-haiku/default"), resulttest.Errored()},
		{"flaky", "#/", resulttest.Flaky()},
		{"gated", "#/", resulttest.Gated()},
		{"workflow", toTrial("support-0/gpt-4o/default"), resulttest.Workflow(3)},
		{"workflows", "#/", resulttest.Workflow(30)},
		{"trace", toTrial("order/shop-agent/default"), resulttest.Traced()},
		{"evals", "#/", resulttest.Measured()},
		{"datasets", "#/", resulttest.Rows()},
		{"pictures", toTrial("pictures/mock/default"), resulttest.Hostile()},
		{"comparison", "", nil},
	} {
		t.Run(page.name, func(t *testing.T) {
			run := page.run
			if run == nil {
				run = resulttest.AllPassed()
			}
			p := b.open(t, run, "#/")
			if page.run == nil {
				before, after := two(t, "gpt-4o", "gpt-4o-mini")
				file := filepath.Join(t.TempDir(), "compare.html")
				if err := os.WriteFile(file, []byte(compared(t, before, after, "was", "now")), 0o644); err != nil {
					t.Fatal(err)
				}
				p.url = "file://" + file
			}
			for _, look := range []look{
				{"light", 1280, 900, "light", "screen"}, {"dark", 1280, 900, "dark", "screen"},
				{"phone", 390, 844, "light", "screen"}, {"phone-dark", 390, 844, "dark", "screen"},
			} {
				p.run(chromedp.EmulateViewport(look.width, look.height))
				call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}},
				})
				if page.run != nil {
					p.visit(page.place)
				} else {
					p.run(chromedp.Navigate("about:blank"), chromedp.Navigate(p.url))
				}
				eval[bool](p, `(document.querySelectorAll("main details:not(.facet)").forEach((d) => (d.open = true)), true)`)
				eval[bool](p, string(axe)+"; true")
				found := eval[[]string](p, `axe.run(document, { resultTypes: ["violations"] }).then((r) =>
					r.violations.map((v) => v.impact + "  " + v.id + ": " + v.help + "  " +
						v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " " + n.html.slice(0, 90)).join(" | ")))`)
				for _, violation := range found {
					t.Errorf("%s: %s", look.name, violation)
				}
			}
		})
	}
}
