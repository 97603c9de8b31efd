package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/comparison"
	"github.com/arena-evals/arena/internal/report/html"
	"github.com/arena-evals/arena/internal/report/screen"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// two are the trials with one provider of a run, and those with another.
func two(t *testing.T, was, now string) (before, after *result.Run) {
	t.Helper()
	of := func(provider string) *result.Run {
		var trials []*result.Trial
		run := resulttest.Compared()
		for i := range run.Briefs.Len() {
			if run.Briefs.At(i).Provider != provider {
				continue
			}
			trial, err := run.Trials.Trial(i)
			if err != nil {
				t.Fatal(err)
			}
			trial.Asked, trial.Repeatable = trial.Scenario, true
			trials = append(trials, trial)
		}
		return resulttest.NewRun(provider, trials...)
	}
	return of(was), of(now)
}

func compared(t *testing.T, before, after *result.Run, was, now string) string {
	t.Helper()
	r, err := comparison.Compare(before, after)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := html.WriteComparison(&b, r, was, now); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestComparison(t *testing.T) {
	t.Parallel()
	before, after := two(t, "gpt-4o", "gpt-4o-mini")
	page := compared(t, before, after, "out-gpt-4o", "out-mini")
	for _, want := range []string{
		"<title>✗ 3 of 6 groups regressed</title>", "out-gpt-4o", "12 of 12 trials passed", "6 of 12 trials passed",
		`<a href="#group-1">refund-window, gpt-4o → gpt-4o-mini</a>`, `<span class="badge failed">regressed</span>`,
		"2 of 2 → 0 of 2", `<span class="faster">faster</span>`, `<span class="cheaper">cheaper</span>`,
		"tools_not_called (must not refund outside the window): was passed, is failed: called once: issue_refund",
		"<del>I am sorry, a refund is possible within 30 days of the purchase only. Your order is 45 days old.</del>\n<ins>Sure!",
		"<del>complaint</del><ins>question</ins>", "The same verdicts, in other words",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	sum := sha256.Sum256([]byte(style.FindStringSubmatch(page)[1]))
	csp := "default-src &#39;none&#39;; style-src &#39;sha256-" +
		strings.ReplaceAll(base64.StdEncoding.EncodeToString(sum[:]), "+", "&#43;") + "&#39;; base-uri"
	if !strings.Contains(page, csp) {
		t.Errorf("the policy does not name our style: %q", csp)
	}
	before, after = two(t, "gpt-4o", "gpt-4o")
	page = compared(t, before, after, "a", "b")
	if !strings.Contains(page, "Nothing but, perhaps, the words.") || !strings.Contains(page, "6 groups as before") {
		t.Error("equal runs do not say so")
	}
}

func TestHostileComparison(t *testing.T) {
	t.Parallel()
	before, after := resulttest.Hostile(), resulttest.Hostile()
	for i := range before.Briefs.Len() {
		trial, err := before.Trials.Trial(i)
		if err != nil {
			t.Fatal(err)
		}
		for k := range trial.Turns {
			trial.Turns[k].Assistant = "something else <script>alert(1)</script>"
		}
	}
	resulttest.Change(before, func(_ int, b *result.Brief) { b.Status, b.Asked = result.Passed, "it" })
	resulttest.Change(after, func(_ int, b *result.Brief) { b.Asked = "it" })
	page := compared(t, before, after, "<b>was</b>", "now\x1b[31m")
	for _, bad := range []string{"<script", "<img", "<b>was", "\x1b", "href=\"http", "\u202e"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
}

// comparisonInBrowser opens the page of a comparison at three widths.
func comparisonInBrowser(t *testing.T, b *browser) {
	before, after := two(t, "gpt-4o", "gpt-4o-mini")
	p := b.open(t, after, "#/")
	file := filepath.Join(t.TempDir(), "compare.html")
	if err := os.WriteFile(file, []byte(compared(t, before, after, "out-gpt-4o", "out-mini")), 0o644); err != nil {
		t.Fatal(err)
	}
	p.url = "file://" + file
	for _, look := range []look{
		{"light", 1280, 900, "light", "screen"}, {"wide-dark", 1920, 1080, "dark", "screen"},
		{"phone-dark", 390, 844, "dark", "screen"},
	} {
		p.run(chromedp.EmulateViewport(look.width, look.height))
		call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}},
		})
		p.run(chromedp.Navigate("about:blank"), chromedp.Navigate(p.url))
		p.accessible("the comparison, " + look.name)
		if dir := os.Getenv("ARENA_SHOTS"); dir != "" {
			p.shoot(filepath.Join(dir, "comparison-"+look.name+".png"))
		}
	}
	p.clean()
}

// TestComparisonOnAScreen: a comparison goes to stdout, where lines that a CI system would take for commands are
// broken. None of the page's own lines is one, so that its style keeps the hash that its policy names.
func TestComparisonOnAScreen(t *testing.T) {
	t.Parallel()
	before, after := two(t, "gpt-4o", "gpt-4o-mini")
	page := compared(t, before, after, "out-gpt-4o", "out-mini")
	var b bytes.Buffer
	w := screen.New(&b)
	if _, err := io.WriteString(w, page); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page, b.String()); diff != "" {
		t.Errorf("(-written +on the screen):\n%s", diff)
	}
}
