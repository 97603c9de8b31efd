package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/dispatch/natstest"
)

// clockedModel is a model that notes when its requests came.
type clockedModel struct {
	countingModel
	takes  time.Duration // of a request
	refuse int           // so many requests, which are to come again after a pause
	wait   string        // the pause, in seconds

	mu      sync.Mutex
	came    []time.Time
	refused time.Time // when the last of them was refused
	running int
	most    int // requests at once
}

func (m *clockedModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.came = append(m.came, time.Now())
	m.running++
	m.most = max(m.most, m.running)
	refuse := m.refuse > 0
	if refuse {
		m.refuse--
		m.refused = time.Now()
	}
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.running--
	}()
	if refuse {
		w.Header().Set("Retry-After", m.wait)
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	select {
	case <-time.After(m.takes):
	case <-r.Context().Done():
	}
	m.countingModel.ServeHTTP(w, r)
}

// within is the most requests that came within any such time.
func (m *clockedModel) within(d time.Duration) (most int) {
	first := 0
	for i, at := range m.came {
		for at.Sub(m.came[first]) >= d {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// limitedCrew is a project whose model has more in its file, and three workers.
func limitedCrew(t *testing.T, model *clockedModel, trials int, more string) (dir string, c *workerPool, done func()) {
	t.Helper()
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	dir = tortureProject(t, server.URL, trials)
	text := "kind: Provider\nmetadata: {name: model}\n" +
		"spec: {id: model, type: openai-compatible, model: m, base_url: " + server.URL + "/v1, " + more + "}\n"
	if err := os.WriteFile(filepath.Join(dir, "model.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c = &workerPool{T: t, broker: natstest.New(t), dir: t.TempDir()}
	workers := []*exec.Cmd{c.startWorker(), c.startWorker(), c.startWorker()}
	return dir, c, func() {
		for _, w := range workers {
			c.stopWorker(w)
		}
	}
}

// wideRun asks for as many trials at once as a run does by itself.
func wideRun(t *testing.T, dir string, c *workerPool) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "arena", "run", "-q", "--format", "json", "-o", "out", "--workers", c.broker.URL())
	cmd.Dir = dir
	return cmd
}

// TestRateLimitHoldsOverWorkers: three workers together keep the limit of a provider that each could reach alone.
func TestRateLimitHoldsOverWorkers(t *testing.T) {
	t.Parallel()
	const trials, rps = 60, 20
	model := &clockedModel{}
	dir, c, done := limitedCrew(t, model, trials, fmt.Sprintf("rate_limit: {rps: %d, burst: 1}", rps))
	if text, err := wideRun(t, dir, c).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	passed(t, filepath.Join(dir, "out"), trials)
	done()
	const least = (trials - 2) * time.Second / rps
	if took := model.came[len(model.came)-1].Sub(model.came[0]); took < least {
		t.Errorf("%d requests came within %s, faster than in %s", len(model.came), took, least)
	}
	most := model.within(time.Second)
	t.Logf("at most %d requests within a second", most)
	if most > rps+2 && os.Getenv(tortureKills) != "" { // a machine that is busy with others delays requests, and they meet
		t.Errorf("%d requests came within a second", most)
	}
}

// TestPauseHoldsOverWorkers: where the server asks one worker to wait, the others call no more either.
func TestPauseHoldsOverWorkers(t *testing.T) {
	t.Parallel()
	const trials, jobs = 200, 3 * tortureJobs
	model := &clockedModel{takes: 200 * time.Millisecond, refuse: 1, wait: "3"}
	dir, c, done := limitedCrew(t, model, trials, "stream_retry: {enabled: true}")
	if text, err := wideRun(t, dir, c).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	passed(t, filepath.Join(dir, "out"), trials)
	done()
	early := 0
	for _, at := range model.came {
		if after := at.Sub(model.refused); after > 0 && after < 2900*time.Millisecond {
			early++
		}
	}
	if early > 3*jobs { // those that were about to be made
		t.Errorf("%d requests came while the server had asked to wait", early)
	}
}

// TestMaxCostHoldsOverWorkers: three workers together spend no more than the limit and what was in flight.
func TestMaxCostHoldsOverWorkers(t *testing.T) {
	t.Parallel()
	const trials, limit, each = 200, 1.0, 0.05 // of five tokens
	model := &clockedModel{takes: 20 * time.Millisecond}
	dir, c, done := limitedCrew(t, model, trials, "pricing: {input_cost_per_1k: 10, output_cost_per_1k: 10}, "+
		"defaults: {max_tokens: 5}")
	run := torturedRun(t, dir, "out", "--workers", c.broker.URL(), "--max-cost", fmt.Sprint(limit))
	if text, err := run.CombinedOutput(); err == nil || run.ProcessState.ExitCode() != 3 {
		t.Fatalf("%v\n%s", err, text)
	}
	done()
	spent := float64(len(model.came)) * each
	if spent > limit+tortureJobs*each || spent < limit/2 {
		t.Errorf("$%.2f was spent of $%.2f", spent, limit)
	}
	t.Logf("$%.2f was spent of $%.2f", spent, limit)
}

// TestCallsAtOnceHoldOverWorkers: three workers together have no more calls at once than a provider takes
// (stream_max_concurrent), though each has more jobs than that.
func TestCallsAtOnceHoldOverWorkers(t *testing.T) {
	t.Parallel()
	const trials, most = 60, 4
	model := &clockedModel{takes: 10 * time.Millisecond}
	dir, c, done := limitedCrew(t, model, trials, fmt.Sprintf("stream_max_concurrent: %d", most))
	if text, err := wideRun(t, dir, c).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	passed(t, filepath.Join(dir, "out"), trials)
	done()
	if model.most > most {
		t.Errorf("%d calls were made at once", model.most)
	}
	t.Logf("at most %d calls at once", model.most)
}
