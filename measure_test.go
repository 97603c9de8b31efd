package arena_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena"
)

// collected is a server that keeps what it is sent, by path and in order.
type collected struct {
	mu     sync.Mutex
	bodies []string
	status int
}

func (c *collected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodies = append(c.bodies, r.URL.Path+" "+string(body))
	w.WriteHeader(c.status)
}

func (c *collected) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.bodies, "\n")
}

// TestMetricsOfARun: the metrics of a run are in the file, at the gateway and under the handler.
func TestMetricsOfARun(t *testing.T) {
	t.Parallel()
	gateway := &collected{status: http.StatusOK}
	server := httptest.NewServer(gateway)
	defer server.Close()
	opts := (&stallholder{}).options("There are ")
	opts.Dir = t.TempDir()
	opts.Metrics = &arena.Metrics{
		File: "run.prom", Push: server.URL, Namespace: "stall", Labels: map[string]string{"branch": "main"},
	}
	s, err := arena.Load(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	page := func() (int, string) {
		w := httptest.NewRecorder()
		s.Metrics().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return w.Code, w.Body.String()
	}
	if code, _ := page(); code != http.StatusNotFound {
		t.Errorf("before the first run: status %d", code)
	}
	res, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(opts.Dir, "run.prom"))
	if err != nil {
		t.Fatal(err)
	}
	_, served := page()
	const want = `stall_trials_total{branch="main",model="",provider="me",status="passed"} 1`
	for where, text := range map[string]string{"file": string(file), "gateway": gateway.text(), "page": served} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: no %s in\n%.2000s", where, want, text)
		}
	}
	if len(res.Reports) != 1 || filepath.Base(res.Reports[0]) != "run.prom" {
		t.Errorf("reports: %v", res.Reports)
	}
	if _, err := s.Run(t.Context()); err != nil {
		t.Errorf("over the file of the run before: %v", err)
	}
}

// TestMetricsThatCannotBe: what keeps metrics from being written is told before anything is run, by the option.
func TestMetricsThatCannotBe(t *testing.T) {
	t.Parallel()
	down := httptest.NewServer(&collected{status: http.StatusTeapot})
	defer down.Close()
	dir := files(t, "notes.prom", "dear diary\n")
	for want, m := range map[string]*arena.Metrics{
		"Metrics.By cannot be":    {By: []string{"scenarios"}},
		"Metrics.Namespace: ":     {Namespace: "a-b"},
		"Metrics.Labels: ":        {Labels: map[string]string{"a-b": "c"}},
		"Metrics.Push: ":          {Push: "localhost"},
		"status 418":              {Push: down.URL},
		"it holds something else": {File: "notes.prom"},
	} {
		s := &stallholder{}
		opts := s.options("")
		opts.Dir, opts.Metrics = dir, m
		res, err := arena.Run(t.Context(), opts)
		if err == nil || res != nil || !strings.Contains(err.Error(), want) || s.calls() != [3]int64{} {
			t.Errorf("%s: got %v, calls %v", want, err, s.calls())
		}
	}
}

// TestTracesOfARun: the spans of a run arrive, and what was said only where that is asked for. Those that are lost are
// a warning, which changes nothing.
func TestTracesOfARun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status   int
		content  bool
		warnings int
	}{
		"without content": {http.StatusOK, false, 0}, "with content": {http.StatusOK, true, 0},
		"refused": {http.StatusBadRequest, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			collector := &collected{status: c.status}
			server := httptest.NewServer(collector)
			defer server.Close()
			opts := (&stallholder{}).options("There are ")
			opts.Traces, opts.TraceContent, opts.Now = server.URL, c.content, time.Now
			res := run(t, opts)
			got := collector.text()
			if res.Status != arena.Passed || len(res.Warnings) != c.warnings {
				t.Errorf("%s, %v", res.Status, res.Warnings)
			}
			if !strings.Contains(got, "/v1/traces ") || !strings.Contains(got, "s/me/default") ||
				strings.Contains(got, "How many kettles?") != c.content {
				t.Errorf("got %.3000q", got)
			}
		})
	}
	opts := (&stallholder{}).options("")
	opts.Traces = "localhost"
	if _, err := arena.Run(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "Traces: ") {
		t.Errorf("no URL: %v", err)
	}
}

// TestEndOfTheContextEndsEvals: an eval that waits for its judge ends with the context, as cancelled, and nothing of it
// passes.
func TestEndOfTheContextEndsEvals(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	e, err := arena.NewEvaluator(arena.EvaluatorOptions{
		Getenv: noEnv,
		Files: map[string][]byte{"a.pack.json": []byte(`{"id": "a", "name": "a", "version": "v1.0.0",
			"template_engine": {"version": "v1", "syntax": "{{variable}}"}, "prompts": {},
			"evals": [{"id": "polite", "type": "llm_judge_session", "trigger": "on_session_complete",
				"params": {"criteria": "polite", "judge": "slow"}, "threshold": {"min_score": 0.5}}]}`)},
		Judges: map[string]arena.Judge{"slow": arena.JudgeFunc(
			func(ctx context.Context, _ *arena.JudgeQuestion) (arena.JudgeAnswer, error) {
				cancel() // the caller has enough, while the judge thinks
				<-ctx.Done()
				return arena.JudgeAnswer{Score: 1}, nil
			})},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	got, err := e.Evaluate(ctx, arena.Conversation{Messages: talk()})
	if err != nil || got.Status != arena.Cancelled || len(got.Evals) != 1 || got.Evals[0].Score != nil {
		t.Errorf("while it runs: got %+v, %v", got, err)
	}
	if got, err := e.Evaluate(ctx, arena.Conversation{Messages: talk()}); got != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("before it begins: got %+v, %v", got, err)
	}
}
