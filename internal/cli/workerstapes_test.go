package cli_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/arena-evals/arena/internal/dispatch/natstest"
)

// TestWorkersRecord: what workers record is in the folder of the run, so that the next run asks for nothing, here or at
// workers, a replay needs no model, and a lost cassette is all that is recorded again.
func TestWorkersRecord(t *testing.T) {
	t.Parallel()
	const trials = 20
	model := &countingModel{}
	model.begin(tortureJobs)
	server := httptest.NewServer(model)
	defer server.Close()
	dir := tortureProject(t, server.URL, trials)
	c := &workerPool{T: t, broker: natstest.New(t), dir: t.TempDir()}
	workers := []*exec.Cmd{c.startWorker(), c.startWorker()}
	spent := 0
	run := func(asks int, out string, flags ...string) {
		t.Helper()
		if text, err := torturedRun(t, dir, out, flags...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		spent += asks
		if got := model.spent(); got != spent {
			t.Errorf("%s: the model was asked %d times, want %d", out, got, spent)
		}
	}
	run(trials, "one", "--record", "tapes", "--workers", c.broker.URL())
	passed(t, filepath.Join(dir, "one"), trials)
	files, err := filepath.Glob(filepath.Join(dir, "tapes", "*.json"))
	if err != nil || len(files) != trials {
		t.Fatalf("%d cassettes, %v", len(files), err)
	}
	run(0, "two", "--record", "tapes", "--workers", c.broker.URL())
	passed(t, filepath.Join(dir, "two"), trials)
	run(0, "three", "--record", "tapes")
	run(0, "four", "--replay", "tapes")
	run(0, "five", "--replay", "tapes", "--workers", c.broker.URL())
	passed(t, filepath.Join(dir, "five"), trials)
	if err := os.Remove(files[3]); err != nil {
		t.Fatal(err)
	}
	run(1, "six", "--replay", "tapes", "--replay-missing", "record", "--workers", c.broker.URL())
	run(trials, "seven", "--record", "tapes", "--record-mode", "all", "--workers", c.broker.URL())
	run(0, "eight", "--replay", "tapes")
	for _, w := range workers {
		c.stopWorker(w)
	}
}
