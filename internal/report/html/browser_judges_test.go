package html_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

func votesAreShown(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Judged(), "#/trial/refund-status%2Fgpt-4o-mini%2Fdefault")
	p.until(`document.querySelector(".judged[open] .votes")`)
	text := eval[string](p, `document.querySelector(".trial").innerText`)
	for _, want := range []string{
		"Judges\n$0.0041, 5 calls, 1,073 tokens", "judged by 3 votes · careful (gpt-4o-2024-11-20) · 4 calls · 834 tokens · $0.0033",
		"The reply is warm, names the amount", "The amount is right. The reply is curt",
		"the score 8 is outside of 0 to 1", `"score": 8`, "asked again", "The amount is named and nobody is blamed",
		"170 in, 45 out · $0.0009 · 0.9s",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the trial does not show %q", want)
		}
	}
	votes := eval[[]string](p, `[...document.querySelectorAll(".ballot")].map((b) => b.innerText.replace(/\s+/g, " "))`)
	if diff := cmp.Diff([]string{"Vote 1 0.40", "Vote 2 asked again 0.80", "Vote 3 0.60"}, votes); diff != "" {
		t.Errorf("votes (-want +got):\n%s", diff)
	}
	want := "votes 0.40, 0.80, 0.60; score 0.60, asked for at least 0.70"
	if got := eval[string](p, `document.querySelector(".scale").getAttribute("aria-label")`); got != want {
		t.Errorf("scale: got %q, want %q", got, want)
	}
	p.clean()
}

// judgesOpenByKeyboard goes from a verdict that passed to the prompt that its judge was given.
func judgesOpenByKeyboard(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Judged(), "#/trial/refund-status%2Fgpt-4o-mini%2Fdefault")
	p.until(`document.querySelector(".whole .judged:not([open])")`)
	if eval[bool](p, `!!document.querySelector(".whole .question")`) {
		t.Error("what nobody opened is built")
	}
	eval[bool](p, `(document.querySelector(".whole .judged > summary").focus(), true)`)
	p.press("\r")
	p.until(`document.querySelector(".whole .question")`)
	p.press("\t\t\r") // past the system prompt
	p.until(`document.querySelector(".whole .source[open] pre")?.textContent.includes("get_refund")`)
	p.accessible("an opened judge")
	p.clean()
}

func brokenJudgesShowTheReply(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Judged(), "#/trial/other-customer%2Fgpt-4o-mini%2Fdefault")
	p.until(`document.querySelectorAll(".judged[open]").length === 2`)
	replies := eval[[]string](p, `[...document.querySelectorAll(".source[open] pre")].map((el) => el.textContent)`)
	want := []string{
		"I'm sorry, but I can't assist with requests about other people's personal data.",
		"I'm sorry, but I can't help with that.", `{"reasoning": "The agent declines, which is what the crit`,
	}
	if diff := cmp.Diff(want, replies); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
	if text := eval[string](p, `document.querySelector(".trial").innerText`); !strings.Contains(text, "cost unknown") {
		t.Error("a price that is not known is not said to be")
	}
	p.clean()
}

// judgesArePrinted makes a document of the trial: what is folded is on the paper.
func judgesArePrinted(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Judged(), "#/trial/refund-status%2Fgpt-4o-mini%2Fdefault")
	p.until(`document.querySelector(".whole .judged:not([open])")`)
	eval[bool](p, `(addEventListener("beforeprint", () => {
		window.printed = document.querySelector(".whole .judged pre.code")?.textContent;
	}), true)`)
	call(p, page.PrintToPDF, page.PrintToPDFParams{})
	if got := eval[string](p, `window.printed ?? ""`); !strings.HasPrefix(got, "You grade what an AI agent wrote") {
		t.Errorf("printed: got %q, want the judge's system prompt", got)
	}
	p.until(`document.querySelector(".whole .judged:not([open])")`)
	p.clean()
}

// manyJudgements opens a conversation of 200 turns with 5,400 judgements, each of which was shown a long text.
func manyJudgements(t *testing.T, b *browser) {
	p := b.open(t, judgedAtLength(200, 3, 9), "#/trials")
	took := eval[float64](p, `(async () => {
		const start = performance.now();
		location.hash = "#/trial/long";
		while (document.querySelectorAll(".turn").length < 200) await new Promise(requestAnimationFrame);
		return performance.now() - start;
	})()`)
	t.Logf("opened in %.0f ms", took)
	if n := eval[int](p, `document.querySelectorAll(".question").length`); n > 0 {
		t.Errorf("%d questions are built that nobody opened", n)
	}
	p.clean()
}

func judgedAtLength(turns, checks, votes int) *result.Run {
	trial := &result.Trial{ID: "long", Scenario: "long", Provider: "mock", Region: "default", Trial: 1, Trials: 1}
	for i := range turns {
		turn := result.Turn{Index: i, User: "Go on.", Messages: []chat.Message{
			{Role: chat.User, Content: "Go on."}, {Role: chat.Assistant, Content: "And so it went on."},
		}}
		for c := range checks {
			v := result.Verdict{Type: "llm_judge", Status: result.Passed, Score: new(0.9), MinScore: new(0.5)}
			for n := range votes {
				v.Judgements = append(v.Judgements, result.Judgement{
					Key: fmt.Sprintf("%d/%d/%d", i, c, n), Judge: "careful", Vote: n + 1, Score: new(0.9),
					Prompt: strings.Repeat("And so it went on. ", 400), Reply: `{"score": 0.9}`, Reasoning: "fine",
				})
			}
			turn.Assertions = append(turn.Assertions, v)
		}
		trial.Turns = append(trial.Turns, turn)
	}
	return resulttest.NewRun("long", trial)
}
