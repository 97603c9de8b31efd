package html_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// TestInBrowser uses the report as people do, in a real browser. The tests share it and run one after the other: a tab
// in the background draws nothing.
func TestInBrowser(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	for _, c := range []struct {
		name string
		test func(*testing.T, *browser)
	}{
		{"every page of every fixture", everyPageOfEveryFixture},
		{"filters", filters},
		{"search", search},
		{"keyboard", keyboard},
		{"a trial shows the conversation", trialShowsTheConversation},
		{"copy buttons", copyButtons},
		{"hostile copies", hostileCopies},
		{"long texts fold", longTextsFold},
		{"media stay in the file", mediaStayInTheFile},
		{"many trials", manyTrials},
		{"without the script", withoutScript},
		{"the policy holds", policyHolds},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, b) })
	}
}

// everyPageOfEveryFixture opens all three levels of each fixture: nothing is requested, blocked or thrown, and
// everything that can be used has a name.
func everyPageOfEveryFixture(t *testing.T, b *browser) {
	fixtures := append(golden.Fixtures(),
		golden.Fixture{Name: "empty", Build: func() *result.Run { return resulttest.NewRun("empty") }},
		golden.Fixture{Name: "big", Build: func() *result.Run { return resulttest.Big(2000) }})
	for _, f := range fixtures {
		t.Run(f.Name, func(t *testing.T) {
			run := f.Build()
			p := b.open(t, run, "#/")
			p.accessible("the overview")
			p.visit("#/trials")
			p.accessible("the list")
			for i := range min(len(run.Briefs), 8) {
				id := run.Briefs[i].ID
				p.visit(toTrial(id))
				p.until(`document.querySelector(".trial .turn, .trial .empty, .trial .notice.skipped")`)
				p.accessible("trial " + id)
				if eval[bool](p, `!!document.querySelector("main a:not([href^='#/'])")`) {
					t.Errorf("trial %s links out of the report", id)
				}
			}
			p.clean()
		})
	}
}

// accessible fails the test for what can be used and has no name, for ids that stand twice, and for attributes that
// would run code.
func (p *tab) accessible(where string) {
	p.t.Helper()
	problems := eval[[]string](p, `(() => {
		const named = (el) => el.getAttribute("aria-label")?.trim() || el.title?.trim() ||
			document.getElementById(el.getAttribute("aria-labelledby"))?.textContent.trim() ||
			el.closest("label")?.textContent.trim() || el.textContent.trim();
		const out = [];
		for (const el of document.querySelectorAll("a, button, input, select, summary, [tabindex='0'], img, audio, video, dialog, svg[role=img]")) {
			const field = el.matches("input, select, img, audio, video");
			if (!(field ? el.alt || el.getAttribute("aria-label") || el.closest("label")?.textContent.trim() : named(el))) {
				out.push("has no name: " + el.outerHTML.slice(0, 200));
			}
		}
		const ids = [...document.querySelectorAll("[id]")].map((el) => el.id);
		for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) out.push("stands twice: #" + id);
		for (const el of document.querySelectorAll("*")) for (const a of el.attributes) {
			if (/^on|^style$/.test(a.name) || /^\s*javascript:/i.test(a.value)) out.push("runs code: " + a.name);
		}
		if (document.querySelectorAll("main h1").length < 1) out.push("has no heading");
		if (document.documentElement.scrollWidth > innerWidth + 1) out.push("is wider than the window");
		return out;
	})()`)
	for _, problem := range problems {
		p.t.Errorf("%s: %s", where, problem)
	}
}

// toTrial is the place of a trial. Bytes that are no UTF-8 stand in the report as U+FFFD, each.
func toTrial(id string) string { return "#/trial/" + url.PathEscape(string([]rune(id))) }

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
	labels := eval[[]string](p, `[...document.querySelectorAll(".facet[open] label")].map((l) => l.innerText.replace(/\s+/g, " "))`)
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

func trialShowsTheConversation(t *testing.T, b *browser) {
	p := b.open(t, resulttest.OneFailed(), toTrial(outside)+"?status=failed")
	p.until(`document.querySelectorAll(".turn").length === 2`)
	text := eval[string](p, `document.getElementById("main").innerText`)
	for _, want := range []string{
		"1 of 1 filtered", "refund-outside-window", "I bought it 45 days ago, can I still get my money back?",
		`issue_refund(amount=49.99, order_id="A-1001") → {"status":"ok"}`, "Sure! I have issued a refund of $49.99",
		"must not refund outside the window", "called once: issue_refund", `missing "30 days"`, "0.50",
		"scenarios/refund.yaml:41:9", "arena run scenarios/refund.yaml --scenario refund-outside-window --provider gpt-4o-mini",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the trial does not show %q", want)
		}
	}
	if strings.Contains(text, "sells lamps") {
		t.Error("the system prompt is not folded")
	}
	p.click(".system summary")
	p.until(`document.querySelector(".system").innerText.includes("sells lamps")`)
	p.click(".failed-list li:nth-child(2) .jump")
	p.until(`document.activeElement.matches(".verdict.failed") && document.activeElement.innerText.includes("30 days")`)
	p.clean()
}

func copyButtons(t *testing.T, b *browser) {
	p := b.open(t, resulttest.OneFailed(), toTrial(outside))
	p.until(`document.querySelectorAll(".buttons button").length === 3`)
	eval[bool](p, `(navigator.clipboard.writeText = async (text) => { window.copied = text; }, true)`)
	copied := func(button string) string {
		t.Helper()
		eval[bool](p, `(window.copied = "", true)`)
		p.click(".buttons button:nth-child(" + button + ")")
		p.until(`window.copied !== "" && document.querySelector(".buttons button:nth-child(` + button + `)").textContent === "Copied"`)
		return eval[string](p, `window.copied`)
	}
	want := "arena run scenarios/refund.yaml --scenario refund-outside-window --provider gpt-4o-mini"
	if got := copied("1"); got != want {
		t.Errorf("command: got %q, want %q", got, want)
	}
	golden.Check(t, "failed.md", []byte(copied("2")))
	var trial result.Trial
	if err := json.Unmarshal([]byte(copied("3")), &trial); err != nil || trial.ID != outside {
		t.Errorf("JSON: got trial %q, %v", trial.ID, err)
	}
	p.clean()
}

func hostileCopies(t *testing.T, b *browser) {
	run := resulttest.Hostile()
	for i, name := range []string{"hostile.md", "misshapen.md"} {
		p := b.open(t, run, toTrial(run.Briefs[i].ID))
		p.until(`document.querySelector(".buttons")`)
		eval[bool](p, `(navigator.clipboard.writeText = async (text) => { window.copied = text; }, true)`)
		eval[bool](p, `([...document.querySelectorAll(".buttons button")].find((b) => b.textContent.includes("Markdown")).click(), true)`)
		p.until(`window.copied`)
		golden.Check(t, name, []byte(eval[string](p, `window.copied`)))
		if name == "misshapen.md" {
			eval[bool](p, `([...document.querySelectorAll(".buttons button")].find((b) => b.textContent.includes("JSON")).click(), true)`)
			p.until(`window.copied.startsWith("{")`)
			if !strings.Contains(eval[string](p, `window.copied`), `"id": 12345678901234567890`) {
				t.Error("a long number lost digits")
			}
		}
		p.clean()
	}
}

func longTextsFold(t *testing.T, b *browser) {
	run := resulttest.Hostile()
	p := b.open(t, run, toTrial(run.Briefs[2].ID))
	p.until(`document.querySelector(".agent .unfold")?.textContent === "Show all 246,000 characters"`)
	if n := eval[int](p, `document.querySelector(".agent .text").textContent.length`); n > 2000 {
		t.Errorf("got %d characters of a folded text", n)
	}
	p.click(".agent .unfold")
	p.until(`document.querySelector(".agent .text").textContent.length === 246000`)
	p.clean()
}

func mediaStayInTheFile(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Hostile(), "#/trial/pictures%2Fmock%2Fdefault")
	p.until(`document.querySelector("figure img")?.naturalWidth === 1`)
	sources := eval[[]string](p, `[...document.querySelectorAll("[src]")].map((el) => el.src.slice(0, 22))`)
	if diff := cmp.Diff([]string{"data:image/png;base64,", "data:audio/wav;base64,"}, sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if n := eval[int](p, `document.querySelectorAll("figure").length`); n != 9 {
		t.Errorf("got %d media, want all 9 named", n)
	}
	p.clean()
}

// withoutScript is how a report looks where scripts are not run at all, such as in the sandbox of a CI server.
func withoutScript(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Errored(), "#/")
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	p.run(chromedp.Navigate("about:blank"), chromedp.Navigate(p.url))
	if dir := os.Getenv("ARENA_SHOTS"); dir != "" {
		p.shoot(filepath.Join(dir, "without-script.png"))
	}
	text, err := chromedp.Run(p.ctx, chromedp.Text(chromedp.CSS("main")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"2 errors of 4 trials", "without it, this page is all there is", "order-status-unclear/claude-haiku/default",
		"scenarios/status.yaml:25",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %q:\n%s", want, text)
		}
	}
	p.clean()
}

// policyHolds tries what a hostile text would do if it became markup: the policy stops all of it.
func policyHolds(t *testing.T, b *browser) {
	p := b.open(t, resulttest.AllPassed(), "#/")
	p.clean()
	for _, attempt := range []string{
		`document.body.setAttribute("style", "color: red")`,
		`document.body.insertAdjacentHTML("beforeend", "<img src='https://tracker.example/x.png' onerror='window.ran = 1'>")`,
		`document.body.insertAdjacentHTML("beforeend", "<button onclick='window.ran = 1'></button>")`,
		`document.body.append(Object.assign(document.createElement("script"), { textContent: "window.ran = 1" }))`,
		`document.body.insertAdjacentHTML("beforeend", "<iframe src='https://tracker.example/'></iframe>")`,
		`fetch("https://tracker.example/").catch(() => 0)`,
		`setTimeout("window.ran = 1")`,
	} {
		p.visit("#/")
		eval[bool](p, `(document.addEventListener("securitypolicyviolation", () => { window.stopped = true; }), true)`)
		eval[bool](p, "("+attempt+", document.querySelector('body > button:not([id])')?.click(), true)")
		p.until(`window.stopped`)
		if eval[bool](p, `!!window.ran`) {
			t.Errorf("%s: it ran", attempt)
		}
	}
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
		last := run.Briefs[n-1].ID
		timed("the last trial", func() { p.visit(toTrial(last)); p.until(`document.querySelector(".trial .turn")`) })
		p.clean()
	}
}
