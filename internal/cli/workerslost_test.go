package cli_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/dispatch/natstest"
)

// heldModel is a countingModel whose first requests wait until they are let go, or their clients leave.
type heldModel struct {
	countingModel
	hold int           // so many requests
	free chan struct{} // closed to let them go

	mu   sync.Mutex
	came int
	left int // clients that did not wait
}

func (m *heldModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.came++
	held := m.came <= m.hold
	m.mu.Unlock()
	var answer bytes.Buffer
	m.countingModel.ServeHTTP(&later{w, &answer}, r)
	if held {
		select {
		case <-m.free:
		case <-r.Context().Done():
			m.mu.Lock()
			m.left++
			m.mu.Unlock()
			return
		}
	}
	_, _ = answer.WriteTo(w) // the client may be gone
}

// later keeps the body of an answer.
type later struct {
	http.ResponseWriter
	body *bytes.Buffer
}

func (l *later) Write(b []byte) (int, error) { return l.body.Write(b) }

// lostProject is a project of so many trials whose model holds the first of them back, with workers that run them.
func lostProject(t *testing.T, trials int) (dir string, model *heldModel, c *workerPool, workers []*exec.Cmd) {
	t.Helper()
	model = &heldModel{hold: tortureJobs, free: make(chan struct{})}
	model.begin(tortureJobs)
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	dir = tortureProject(t, server.URL, trials)
	c = &workerPool{T: t, broker: natstest.New(t), dir: t.TempDir()}
	return dir, model, c, []*exec.Cmd{c.startWorker(), c.startWorker()}
}

// startUntilDue starts a run, and returns when the model holds its first requests. The channel has how the run ends. One
// that ends before is an error, with what it said.
func startUntilDue(t *testing.T, run *exec.Cmd, model *heldModel, said *bytes.Buffer) <-chan error {
	t.Helper()
	due := model.due()
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	select {
	case <-due:
	case err := <-ended:
		t.Fatalf("the run ended before its trials began: %v\n%s", err, said)
	}
	return ended
}

// passed holds that every trial of a run passed, each run by a worker.
func passed(t *testing.T, dir string, trials int) {
	t.Helper()
	all := byWorkers(t, dir)
	if len(all) != trials {
		t.Errorf("%s has %d trials, want %d", dir, len(all), trials)
	}
	for id, trial := range all {
		if diff := cmp.Diff("passed", trial.(map[string]any)["status"]); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}

// TestBrokerLosesItsDisk: where a broker comes back with nothing in the middle of a run, the run says so and goes on,
// what workers have in hand is not paid for twice, and they serve the next run as well.
func TestBrokerLosesItsDisk(t *testing.T) {
	t.Parallel()
	const trials = 30
	dir, model, c, workers := lostProject(t, trials)
	run := torturedRun(t, dir, "out", "--workers", c.broker.URL())
	var said bytes.Buffer
	run.Stdout, run.Stderr = &said, &said
	ended := startUntilDue(t, run, model, &said)
	if err := c.broker.Wipe(); err != nil {
		t.Fatal(err)
	}
	close(model.free)
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	passed(t, filepath.Join(dir, "out"), trials)
	if !strings.Contains(said.String(), "the broker has lost what it held") {
		t.Errorf("it does not say what happened:\n%s", &said)
	}
	if twice := model.spent() - trials; twice != 0 {
		t.Errorf("%d requests were spent twice\n%s", twice, &said)
	}
	if text, err := torturedRun(t, dir, "next", "--workers", c.broker.URL()).CombinedOutput(); err != nil {
		t.Errorf("the next run: %v\n%s", err, text)
	}
	passed(t, filepath.Join(dir, "next"), trials)
	for _, w := range workers {
		c.stopWorker(w)
	}
}

// TestRunTakesThePlaceOfAnother: a run that begins anew in the folder of one that was killed ends at once what workers
// still do for that one.
func TestRunTakesThePlaceOfAnother(t *testing.T) {
	t.Parallel()
	const trials = 20
	dir, model, c, workers := lostProject(t, trials)
	killAt(t, &model.countingModel, torturedRun(t, dir, "out", "--workers", c.broker.URL()))
	text, err := torturedRun(t, dir, "out", "--workers", c.broker.URL()).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !bytes.Contains(text, []byte("workers run no more trials of the run whose place this one takes")) {
		t.Errorf("it does not say what it does:\n%s", text)
	}
	passed(t, filepath.Join(dir, "out"), trials)
	for _, w := range workers {
		c.stopWorker(w)
	}
	model.mu.Lock()
	defer model.mu.Unlock()
	if model.left != tortureJobs {
		t.Errorf("%d of %d calls for the killed run were ended", model.left, tortureJobs)
	}
}

// TestRunIsTakenOver: of two runs that go on with one, in a folder and its copy, the first ends with the reason, spends
// nothing more and takes nothing from the second.
func TestRunIsTakenOver(t *testing.T) {
	t.Parallel()
	const trials = 20
	dir, model, c, workers := lostProject(t, trials)
	first := torturedRun(t, dir, "out", "--workers", c.broker.URL())
	var said bytes.Buffer
	first.Stdout, first.Stderr = &said, &said
	ended := startUntilDue(t, first, model, &said)
	if err := os.CopyFS(filepath.Join(dir, "copy"), os.DirFS(filepath.Join(dir, "out"))); err != nil {
		t.Fatal(err)
	}
	second := torturedRun(t, dir, "copy", "--resume", "--workers", c.broker.URL())
	var heard bytes.Buffer
	second.Stdout, second.Stderr = &heard, &heard
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || first.ProcessState.ExitCode() != 3 {
		t.Errorf("the first run ended with %v\n%s", err, &said)
	}
	results, err := os.ReadFile(filepath.Join(dir, "out", "results.json"))
	if err != nil || !bytes.Contains(results, []byte("another arena run has taken over this one at the broker")) {
		t.Errorf("the first run does not say why it ended: %v\n%s", err, &said)
	}
	close(model.free)
	if err := second.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &heard)
	}
	passed(t, filepath.Join(dir, "copy"), trials)
	if twice := model.spent() - trials; twice != 0 {
		t.Errorf("%d requests were spent twice\n%s", twice, &heard)
	}
	for _, w := range workers {
		c.stopWorker(w)
	}
}

// TestLostWorkers: where the workers die in the middle of a run and nobody comes, what they had in hand and what nobody
// has begun are errors with the reason, and nothing of it passes. The limits of time are meant to pass.
func TestLostWorkers(t *testing.T) {
	t.Parallel()
	const trials = tortureJobs + 5
	dir, model, c, workers := lostProject(t, trials)
	run := torturedRun(t, dir, "out", "--workers", c.broker.URL(), "--workers-timeout", "2s")
	var said bytes.Buffer
	run.Stdout, run.Stderr = &said, &said
	ended := startUntilDue(t, run, model, &said)
	for _, w := range workers {
		_ = w.Process.Kill()
		_ = w.Wait() // it was killed
	}
	if err := <-ended; err == nil || run.ProcessState.ExitCode() != 3 {
		t.Errorf("%v\n%s", err, &said)
	}
	all := outcomes(t, filepath.Join(dir, "out"))
	for id, trial := range all {
		if status := trial.(map[string]any)["status"]; status != "error" {
			t.Errorf("%s: %v", id, status)
		}
	}
	if len(all) != trials || !strings.Contains(said.String(), "which is gone") && !strings.Contains(said.String(), "it is gone") {
		t.Errorf("%d trials\n%s", len(all), &said)
	}
}
