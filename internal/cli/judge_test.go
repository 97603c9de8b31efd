package cli_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/cli"
)

// calibrating is an arena that calibrates a judge while somebody looks.
type calibrating struct {
	app      *cli.App
	out, err bytes.Buffer
	signals  chan os.Signal
}

func newCalibrating(t *testing.T, endpoint string) *calibrating {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	labels := write("labels.jsonl", strings.Repeat(`{"text": "a", "label": "pass"}`+"\n", 3)+`{"text": "b", "label": "fail"}`)
	config := write("a.arena.yaml", fmt.Sprintf("kind: Arena\nmetadata: {name: a}\nspec:\n  provider_specs:\n"+
		"    grader: {type: openai-compatible, model: m, base_url: %q}\n  judges: [{name: strict, provider: grader}]\n", endpoint))
	c := &calibrating{signals: make(chan os.Signal, 2)}
	c.app = &cli.App{
		Args: []string{"judge", "calibrate", labels, "-c", config, "--criteria", "kind", "-j", "1", "--retries", "0"},
		Out:  &c.out, Err: &c.err, Env: map[string]string{}, OutTTY: true, ErrTTY: true,
		Now: func() time.Time { return time.Unix(0, 0) }, Width: func() int { return 60 },
		Interrupts: func() (<-chan os.Signal, func()) { return c.signals, func() {} },
		Exit:       func(code int) { t.Errorf("ended with %d", code) },
	}
	return c
}

const graded = `{"choices":[{"message":{"role":"assistant","content":"{\"score\": 1}"},"finish_reason":"stop"}]}`

func TestCalibrateShowsProgressOnATerminal(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(graded))
	}))
	defer server.Close()
	c := newCalibrating(t, server.URL)
	if code := cli.Main(c.app); code != 0 {
		t.Fatalf("exit status %d: %s", code, c.err.String())
	}
	for _, want := range []string{"\r\x1b[2K0/4 judged", "\r\x1b[2K4/4 judged  1 disagree\r\x1b[2K"} {
		if !strings.Contains(c.err.String(), want) {
			t.Errorf("the progress is %q, want %q", c.err.String(), want)
		}
	}
	if !strings.Contains(c.out.String(), "\x1b[31m✗\x1b[0m") || !strings.Contains(c.out.String(), "3 of 4") {
		t.Errorf("got %q", c.out.String())
	}
}

// TestCalibrateInterrupted stops while the second judgement hangs: the first is shown.
func TestCalibrateInterrupted(t *testing.T) {
	t.Parallel()
	var once sync.Once
	hanging, over := make(chan struct{}), make(chan struct{})
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n++; n > 1 { // one at a time
			once.Do(func() { close(hanging) })
			<-over
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(graded))
	}))
	defer server.Close()
	defer close(over)
	c := newCalibrating(t, server.URL)
	c.app.Args = append(c.app.Args, "--json")
	text, err := os.ReadFile(c.app.Args[2])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.app.Args[2], bytes.Replace(text, []byte(`"a"`), []byte(`"first"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		<-hanging
		c.signals <- os.Interrupt
	}()
	if code := cli.Main(c.app); code != 130 {
		t.Errorf("exit status %d, want 130: %s", code, c.err.String())
	}
	for _, want := range []string{`"n": 1`, `"cancelled": 3`, `"text": "first"`} {
		if !strings.Contains(c.out.String(), want) {
			t.Errorf("the output does not hold %s:\n%s", want, c.out.String())
		}
	}
}

// TestCalibrateShowsHostileTextsHarmlessly judges what a model wrote to take over a terminal, or the system that reads
// its log.
func TestCalibrateShowsHostileTextsHarmlessly(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(graded))
	}))
	defer server.Close()
	c := newCalibrating(t, server.URL)
	text := `{"text": "fine\n::error::pwned ##[command]x \u001b[2J\u202egnp", "label": "fail", "id": "a\n::b"}` + "\n"
	if err := os.WriteFile(c.app.Args[2], []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := cli.Main(c.app); code != 0 {
		t.Fatalf("exit status %d: %s", code, c.err.String())
	}
	for line := range strings.SplitSeq(c.out.String(), "\n") {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "::") || strings.ContainsAny(line, "\u202e") ||
			strings.Contains(line, "##[") || strings.Contains(line, "\x1b[2J") {
			t.Errorf("a line is not harmless: %q", line)
		}
	}
	if !strings.Contains(c.out.String(), "pwned") {
		t.Errorf("the text is not shown:\n%s", c.out.String())
	}
}
