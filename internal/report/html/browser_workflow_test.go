package html_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/result/resulttest"
)

// drawnFlow reads what is drawn of a workflow: the states and ways by how they look, and what the picture is called.
func (p *tab) drawnFlow(within string) (lines []string) {
	p.t.Helper()
	return eval[[]string](p, `((svg) => [...svg.querySelectorAll("g.state, g.way:has(text)")]
		.map((g) => g.getAttribute("class") + ": " + [...g.querySelectorAll("text")].map((t) => t.textContent).join(" "))
		.concat(svg.getAttribute("aria-label")))(document.querySelector("`+within+` svg.workflow"))`)
}

func (p *tab) same(want, got []string) {
	p.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Errorf("(-want +got):\n%s", diff)
	}
}

func workflowIsShown(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Workflow(3), toTrial("support-0/gpt-4o/default"))
	p.until(`document.querySelector(".flow")`)
	p.same([]string{
		"way idle: Hard", "way taken: Known", "way idle: Return", "way taken: Solved", "way idle: More", "way idle: Solved",
		"state taken: intake", "state taken: desk", "state idle: returns", "state idle: human", "state taken last: done",
		"intake → desk (Known) → done (Solved). Never entered: returns, human.",
	}, p.drawnFlow(".flow"))
	p.same([]string{"Workflow ended in done, which is terminal"}, eval[[]string](p,
		`[...document.querySelectorAll(".flow h2")].map((h) => h.textContent)`))
	if got := eval[string](p, `document.querySelector(".flow details").textContent`); got != "Artifactscasea broken teapot" {
		t.Errorf("artifacts: %q", got)
	}
	p.same([]string{}, eval[[]string](p, // a fact without a value is left out
		`[...document.querySelectorAll("dl.facts dt")].filter((d) => !d.nextSibling?.textContent).map((d) => d.textContent)`))
	p.visit(toTrial("support-2/gpt-4o/default"))
	p.until(`document.querySelector(".refused")`)
	got := eval[string](p, `document.querySelector(".refused").textContent`)
	if want := `turn 1, Solved: state "intake" has no event "Solved"`; !strings.Contains(got, want) {
		t.Errorf("refused: %q, want %q", got, want)
	}
	p.clean()
}

func circleIsShown(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Workflow(3), toTrial("support-1/gpt-4o/default"))
	p.until(`document.querySelector(".flow")`)
	p.same([]string{
		"way idle: Hard", "way taken: Known ×2", "way idle: Return", "way idle: Solved", "way taken: More",
		"way idle: Solved", "way taken instead: More (intake is full)",
		"state taken: intake 2", "state taken: desk 2", "state idle: returns", "state taken last: human", "state idle: done",
		"intake → desk (Known) → intake (More) → desk (Known) → human (More, as intake was full). " +
			"Never entered: returns, done.",
	}, p.drawnFlow(".flow"))
	p.clean()
}

func coverageIsShown(t *testing.T, b *browser) {
	p := b.open(t, resulttest.Workflow(2000), "#/")
	start := time.Now()
	p.visit("#/")
	p.until(`document.querySelector(".coverage svg.workflow")`)
	t.Logf("2000 trials with a workflow: opening took %d ms", time.Since(start).Milliseconds())
	p.same([]string{
		"4 of 5 states, 4 of 7 transitions, 1 of 2 skills, 1 of 2 tools touched by the 2,000 trials that ran",
		"returns", "intake → human (Hard) · desk → returns (Return) · returns → done (Solved)", "tone", "issue_refund",
	}, eval[[]string](p, `[...document.querySelectorAll(".coverage p, .coverage dd")].map((e) => e.textContent)`))
	p.same([]string{
		"way idle: Hard", "way taken: Known ×1,334", "way taken instead: full ×667", "way idle: Return", "way taken: Solved ×667",
		"way taken: More ×667", "way idle: Solved",
		"state taken: intake 2,000", "state taken: desk 1,334", "state idle: returns", "state taken: human 667",
		"state taken: done 667",
	}, p.drawnFlow(".coverage")[:12])
	start = time.Now()
	p.visit(toTrial("support-1999/gpt-4o/default"))
	p.until(`document.querySelector(".flow svg")`)
	t.Logf("2000 trials with a workflow: the last one took %d ms", time.Since(start).Milliseconds())
	p.clean()
}
