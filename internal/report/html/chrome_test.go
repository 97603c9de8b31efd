package html_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/report/html"
	"github.com/arena-evals/arena/internal/result"
)

// browser is one headless Chromium for a test. Each tab belongs to one goroutine.
type browser struct {
	ctx context.Context
}

// tab is one report in a page of its own. It notes everything that a report must never cause.
type tab struct {
	t   *testing.T
	ctx context.Context
	url string

	mu       sync.Mutex
	problems []string
}

// startBrowser starts Chromium, or skips the test where there is none. With ARENA_BROWSER=required a missing browser
// fails the test.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	path := findBrowser()
	if path == "" {
		const missing = "no chromium or chrome found; the report was not tested in a browser"
		if os.Getenv("ARENA_BROWSER") == "required" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(hang.Guard),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.WindowSize(1280, 900),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("force-color-profile", "srgb"),
	)
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return &browser{ctx}
}

func findBrowser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// open writes the report of a run to a file and opens it at a place such as "#/trials".
func (b *browser) open(t *testing.T, run *result.Run, place string) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := html.Write(f, run, html.Options{Rerun: rerun, Source: supportFile}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx, url: (&url.URL{Scheme: "file", Path: file}).String()}
	if err := chromedp.Listen(ctx, p.watch); err != nil {
		t.Fatal(err)
	}
	call(p, network.Enable, network.EnableParams{})
	call(p, log.Enable, cdp.Empty{})
	p.visit(place)
	return p
}

// supportFile is the file that the tests know, with a check at line 10.
func supportFile(name string) ([]byte, error) {
	if name != "scenarios/support.yaml" {
		return nil, os.ErrNotExist
	}
	return []byte(strings.Repeat("#\n", 9) + "      - type: tools_not_called\n        params: {tools: [issue_refund]}\n"), nil
}

// rerun is the command that the tests offer.
func rerun(trials ...*result.Brief) string {
	b := trials[0]
	return fmt.Sprintf("arena run %s --scenario %s --provider %s", b.File, b.Scenario, b.Provider)
}

// watch notes errors, violations of the policy, and requests other than for the report itself.
func (p *tab) watch(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		p.note("exception: " + e.ExceptionDetails.Text)
		if thrown := e.ExceptionDetails.Exception; thrown != nil {
			p.note(thrown.Description)
		}
	case *runtime.EventConsoleAPICalled:
		p.note(fmt.Sprintf("console: %s %s", e.Type, e.Args[0].Value))
	case *log.EventEntryAdded:
		p.note("log: " + e.Entry.Text)
	case *network.EventRequestWillBeSent:
		u := e.Request.URL
		within := strings.HasPrefix(u, "data:") || strings.HasPrefix(u, "blob:null/") // what the page itself holds
		if u != p.url && u != "about:blank" && !within {
			p.note("request: " + u)
		}
	}
}

func (p *tab) note(problem string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, problem)
}

// clean fails the test when the report did anything that it must not do.
func (p *tab) clean() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, problem := range p.problems {
		p.t.Error(problem)
	}
}

func (p *tab) run(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, hang.Guard)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// call runs a command of the protocol.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.t.Fatal(err)
	}
}

// visit opens the report anew at a place and waits until it is shown.
func (p *tab) visit(place string) {
	p.t.Helper()
	p.run(chromedp.Navigate("about:blank"), chromedp.Navigate(p.url+place))
	p.until(`!!document.documentElement.dataset.shown`)
}

// until waits for an expression of the page to hold. It asks within the page, since the policy of the report forbids
// the code that chromedp.Poll would make there.
func (p *tab) until(expression string) {
	p.t.Helper()
	held := eval[bool](p, fmt.Sprintf(`new Promise((done) => {
		const end = performance.now() + %d;
		const look = () => {
			if (%s) done(true);
			else if (performance.now() > end) done(false);
			else setTimeout(look, 10);
		};
		look();
	})`, (hang.Guard/2).Milliseconds(), expression))
	if !held {
		p.clean()
		p.t.Fatalf("this never held: %s; the page shows:\n%s", expression,
			eval[string](p, `location.hash + "\n" + document.body.innerText.slice(0, 1500)`))
	}
}

// eval returns the value of an expression of the page; of a promise, what it comes to.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, hang.Guard)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// press sends keys to the page as a keyboard does: what a handler of the key down takes is not typed as well.
func (p *tab) press(keys string) {
	p.t.Helper()
	for _, r := range keys {
		for _, e := range kb.Encode(r) {
			if e.Type == kb.KeyDown {
				e.Type = input.DispatchKeyEventTypeRawKeyDown
			}
			call(p, input.DispatchKeyEvent, *e)
		}
	}
}

// click clicks the first visible element that a selector finds.
func (p *tab) click(selector string) {
	p.t.Helper()
	p.run(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}
