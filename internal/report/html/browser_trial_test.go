package html_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

func trialShowsTheConversation(t *testing.T, b *browser) {
	p := b.open(t, resulttest.OneFailed(), toTrial(outside)+"?status=failed")
	p.until(`document.querySelectorAll(".turn").length === 2`)
	text := eval[string](p, `document.getElementById("main").innerText`)
	for _, want := range []string{
		"1 of 1 filtered", "refund-outside-window", "I bought it 45 days ago, can I still get my money back?",
		`issue_refund(amount=49.99, order_id="A-1001") → {"status":"ok"}`, "Sure! I have issued a refund of $49.99",
		"must not refund outside the window", "called once: issue_refund", `missing "30 days"`, "0.50",
		"scenarios/refund.yaml:41:9",
		"arena run scenarios/refund.yaml --scenario refund-outside-window --provider gpt-4o-mini",
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

func trialShowsGuardrails(t *testing.T, b *browser) {
	p := b.open(t, resulttest.AllPassed(), toTrial("greeting/gpt-4o-mini/default"))
	p.until(`document.querySelectorAll(".mark.guard").length === 1`)
	text := eval[string](p, `document.getElementById("main").innerText`)
	for _, want := range []string{
		"guardrail banned_words replaced the reply", "Hey pal, what can I do", "the model had said, replaced by banned_words",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the trial does not show %q", want)
		}
	}
	p = b.open(t, resulttest.Compared(), toTrial("rude-customer/gpt-4o/default#1"))
	p.until(`document.querySelector(".original del")`)
	text = eval[string](p, `document.getElementById("main").innerText`)
	if strings.Contains(text, "content_filter") || !strings.Contains(text, "· replaced by banned_words") {
		t.Errorf("the reply does not say what replaced it:\n%s", text)
	}
	p.clean()
}

// trialShowsDiffs: what was asked for stands against what was found, line by line, in place of two values.
func trialShowsDiffs(t *testing.T, b *browser) {
	for trial, want := range map[string][]string{
		"address-change/gpt-4o-mini/default#1": {
			"  {", `    "address": {`, `-     "street": "Main Street 1",`, `-     "zip": "10115"`, `+     "street": "Main St. 1"`,
			"    },", `+   "notify": true,`, `    "order_id": "A-1001"`, "  }",
		},
		"ticket-as-json/gpt-4o-mini/default#2": {
			"  {", `-   "kind": "complaint",`, `+   "kind": "question",`, `    "priority": 2,`, `-   "summary": "The lamp is broken"`,
			`+   "summary": "The lamp does not work"`, "  }",
		},
	} {
		p := b.open(t, resulttest.Compared(), toTrial(trial))
		p.until(`document.querySelector(".verdict .diff")`)
		p.accessible(trial)
		got := eval[[]string](p, `[...document.querySelectorAll(".verdict .diff .line")].map((l) =>
			[...l.childNodes].filter((n) => !n.classList?.contains("unseen")).map((n) => n.textContent).join("").trimEnd())`)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", trial, diff)
		}
		p.clean()
	}
	// The lines that declare a check stand beneath it.
	lines := b.open(t, resulttest.Compared(), toTrial("refund-window/claude-haiku/default#1"))
	lines.until(`document.querySelector(".verdict .lines")`)
	want := "10        - type: tools_not_called\n11          params: {tools: [issue_refund]}\n"
	if got := eval[string](lines, `document.querySelector(".verdict .lines").textContent`); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	lines.accessible("lines")
	lines.clean()

	// Details that only repeat the sentence are folded.
	p := b.open(t, resulttest.OneFailed(), toTrial(outside))
	p.until(`document.querySelectorAll(".verdict.failed .more").length === 2`)
	if n := eval[int](p, `document.querySelectorAll(".verdict.failed .more[open]").length`); n != 1 {
		t.Errorf("%d details are open; want those alone that say more", n)
	}
	p.clean()
}

func copyButtons(t *testing.T, b *browser) {
	p := b.open(t, resulttest.OneFailed(), toTrial(outside))
	want := "arena run scenarios/refund.yaml --scenario refund-outside-window --provider gpt-4o-mini"
	if got := p.copied("Copy command"); got != want {
		t.Errorf("command: got %q, want %q", got, want)
	}
	golden.Check(t, "failed.md", []byte(p.copied("Copy as Markdown")))
	var trial result.Trial
	if err := json.Unmarshal([]byte(p.copied("Copy JSON")), &trial); err != nil || trial.ID != outside {
		t.Errorf("JSON: got trial %q, %v", trial.ID, err)
	}
	p.clean()
}

// copied clicks a button of the trial and returns what it copies.
func (p *tab) copied(button string) string {
	p.t.Helper()
	p.until(`document.querySelector(".buttons")`)
	clicked := eval[bool](p, fmt.Sprintf(`(() => {
		window.copied = "";
		navigator.clipboard.writeText = async (text) => { window.copied = text; };
		const button = [...document.querySelectorAll(".buttons button")].find((b) => b.textContent === %q);
		button?.click();
		return Boolean(button);
	})()`, button))
	if !clicked {
		p.t.Fatalf("there is no button %q", button)
	}
	p.until(`window.copied && [...document.querySelectorAll(".buttons button")].some((b) => b.textContent === "Copied")`)
	return eval[string](p, `window.copied`)
}

func hostileCopies(t *testing.T, b *browser) {
	run := resulttest.Hostile()
	for i, name := range []string{"hostile.md", "misshapen.md"} {
		p := b.open(t, run, toTrial(run.Briefs.At(i).ID))
		golden.Check(t, name, []byte(p.copied("Copy as Markdown")))
		p.clean()
	}
	p := b.open(t, run, toTrial(run.Briefs.At(1).ID))
	if !strings.Contains(p.copied("Copy JSON"), `"id": 12345678901234567890`) {
		t.Error("a long number lost digits")
	}
	p.clean()
}

func longTextsFold(t *testing.T, b *browser) {
	run := resulttest.Hostile()
	p := b.open(t, run, toTrial(run.Briefs.At(2).ID))
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
