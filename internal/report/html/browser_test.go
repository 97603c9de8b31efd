package html_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

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
		{"providers are compared", providersAreCompared},
		{"failures are grouped", failuresAreGrouped},
		{"replies side by side", repliesSideBySide},
		{"replies of many trials", repliesOfManyTrials},
		{"hostile replies", hostileReplies},
		{"comparison", comparisonInBrowser},
		{"filters", filters}, {"simulated", simulated},
		{"search", search},
		{"keyboard", keyboard},
		{"a trial shows the conversation", trialShowsTheConversation},
		{"a trial shows what guardrails did", trialShowsGuardrails},
		{"a trial shows diffs", trialShowsDiffs},
		{"copy buttons", copyButtons},
		{"hostile copies", hostileCopies},
		{"nothing hides", nothingHides},
		{"long texts fold", longTextsFold},
		{"media stay in the file", mediaStayInTheFile}, {"media are shown", mediaAreShown},
		{"votes are shown", votesAreShown},
		{"judges open by keyboard", judgesOpenByKeyboard},
		{"broken judges show the reply", brokenJudgesShowTheReply},
		{"judges are printed", judgesArePrinted},
		{"evals are shown", evalsAreShown},
		{"the rows of datasets are told of together", rowsAreShown},
		{"the way through a workflow is shown", workflowIsShown},
		{"a circle in a workflow is shown", circleIsShown},
		{"who plays the user is shown", playedIsShown},
		{"coverage is shown", coverageIsShown},
		{"a trace is drawn", traceIsDrawn}, {"a long trace is drawn in pieces", longTraceIsDrawn},
		{"a hostile trace is drawn", hostileTraceIsDrawn},
		{"many judgements", manyJudgements},
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
			for i := range min(run.Briefs.Len(), 8) {
				id := run.Briefs.At(i).ID
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
		const named = (el) => el.getAttribute("aria-label")?.trim() ||
			document.getElementById(el.getAttribute("aria-labelledby"))?.textContent.trim() ||
			el.closest("label")?.textContent.trim() || (!el.matches("select, audio, video") && el.textContent.trim());
		const out = [];
		const used = "a, button, input, select, summary, [tabindex='0'], img, audio, video, dialog, svg[role=img]";
		for (const el of document.querySelectorAll(used)) {
			if (!(el.alt || named(el))) out.push("has no name: " + el.outerHTML.slice(0, 200));
		}
		const ids = [...document.querySelectorAll("[id]")].map((el) => el.id);
		for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) out.push("stands twice: #" + id);
		for (const el of document.querySelectorAll("*")) for (const a of el.attributes) {
			if (/^on|^style$/.test(a.name) || /^\s*javascript:/i.test(a.value)) out.push("runs code: " + a.name);
		}
		if (document.querySelectorAll("main h1").length < 1) out.push("has no heading");
		if (document.documentElement.scrollWidth > innerWidth + 1) {
			const wide = [...document.querySelectorAll("main *")].filter((el) => el.getBoundingClientRect().right > innerWidth + 1 &&
				!el.closest(".scroll, .unseen"));
			out.push("is wider than the window: " + wide.slice(0, 3).map((el) => el.outerHTML.slice(0, 80)).join("; "));
		}
		return out;
	})()`)
	for _, problem := range problems {
		p.t.Errorf("%s: %s", where, problem)
	}
}

// toTrial is the place of a trial. Bytes that are no UTF-8 stand in the report as U+FFFD, each.
func toTrial(id string) string { return "#/trial/" + url.PathEscape(string([]rune(id))) }

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
		"2 errors of 4 trials", "without it, this page is all there is", "order-status-unclear",
		"scenarios/status.yaml:25", "no reply in 60s",
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
		`document.body.insertAdjacentHTML("beforeend", "<img src='https://tracker.example/' onerror='window.ran = 1'>")`,
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
