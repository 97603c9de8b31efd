package cli_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/dispatch/natstest"
)

// workerPool is workers of trials on a broker.
type workerPool struct {
	*testing.T
	broker *natstest.Broker
	dir    string // where they are started, which holds nothing
	said   []*bytes.Buffer
}

// startWorker starts a worker.
func (c *workerPool) startWorker() *exec.Cmd {
	c.Helper()
	said := &bytes.Buffer{}
	c.said = append(c.said, said)
	cmd := exec.CommandContext(c.Context(), "arena", "worker", "--trials", c.broker.URL(), "-j", strconv.Itoa(tortureJobs),
		"--ack-wait", "2s")
	cmd.Dir, cmd.Stderr = c.dir, said
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	return cmd
}

// stopWorker ends a worker, which has to say that all went well.
func (c *workerPool) stopWorker(cmd *exec.Cmd) {
	c.Helper()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		c.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		c.Errorf("%v\n%s", err, cmd.Stderr)
	}
}

// TestTortureWorkers kills the coordinator of runs with workers after a random number of requests, and resumes it, some
// of the times after the broker was restarted: every trial is there once, with the results of a run that nobody
// disturbed, and none was paid for twice, since the workers live on. Then a worker is killed in the middle as well: its
// trials are run by the others, and no more of them twice than it had in hand. At last nobody goes on with a killed run.
func TestTortureWorkers(t *testing.T) {
	t.Parallel()
	kills, trials := 3, 60
	if n, err := strconv.Atoi(os.Getenv(tortureKills)); err == nil {
		kills, trials = n, 2000
	}
	model := &countingModel{}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	dir := tortureProject(t, server.URL, trials)
	if err := torturedRun(t, dir, "whole").Run(); err != nil {
		t.Fatal(err)
	}
	want := outcomes(t, filepath.Join(dir, "whole"))
	c := &workerPool{T: t, broker: natstest.New(t), dir: t.TempDir()}
	workers := []*exec.Cmd{c.startWorker(), c.startWorker(), c.startWorker()}
	random := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // the same moments in every run
	for kill := range kills {
		out := fmt.Sprintf("out%d", kill)
		model.begin(1 + random.IntN(trials-1))
		killAt(t, model, torturedRun(t, dir, out, "--workers", c.broker.URL()))
		if kill%3 == 1 {
			c.broker.Stop()
			if err := c.broker.Start(); err != nil {
				t.Fatal(err)
			}
		}
		model.again(0)
		alone := torturedRun(t, dir, out, "--resume")
		if text, err := alone.CombinedOutput(); err == nil || !bytes.Contains(text, []byte("--workers nats://")) {
			t.Errorf("kill %d: without workers it goes on: %v\n%s", kill, err, text)
		}
		resumed := torturedRun(t, dir, out, "--resume", "--workers", c.broker.URL())
		if text, err := resumed.CombinedOutput(); err != nil {
			t.Fatalf("kill %d: %v\n%s", kill, err, text)
		}
		if diff := cmp.Diff(want, byWorkers(t, filepath.Join(dir, out))); diff != "" {
			t.Fatalf("kill %d: the results differ (-undisturbed +resumed):\n%s", kill, diff)
		}
		if twice := model.spent() - trials; twice != 0 {
			t.Errorf("kill %d: %d requests were spent twice", kill, twice)
		}
	}
	model.begin(trials / 3)
	due := model.due()
	run := torturedRun(t, dir, "last", "--workers", c.broker.URL())
	var said bytes.Buffer
	run.Stdout, run.Stderr = &said, &said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	<-due
	if err := workers[0].Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = workers[0].Wait() // it was killed
	if err := run.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	if diff := cmp.Diff(want, byWorkers(t, filepath.Join(dir, "last"))); diff != "" {
		t.Errorf("a worker was killed (-undisturbed +now):\n%s", diff)
	}
	if twice := model.spent() - trials; twice < 0 || twice > tortureJobs {
		t.Errorf("%d requests were spent twice, after a kill of %d jobs", twice, tortureJobs)
	}
	// A run that was killed and is not gone on with keeps nobody waiting.
	model.begin(trials / 3)
	killAt(t, model, torturedRun(t, dir, "dead", "--workers", c.broker.URL()))
	if text, err := torturedRun(t, dir, "next", "--workers", c.broker.URL()).CombinedOutput(); err != nil {
		t.Errorf("behind a dead run: %v\n%s", err, text)
	}
	c.stopWorker(workers[1])
	c.stopWorker(workers[2])
}

// byWorkers are the outcomes of trials that workers ran, without their names.
func byWorkers(t *testing.T, dir string) map[string]any {
	t.Helper()
	all := outcomes(t, dir)
	for id, trial := range all {
		fields := trial.(map[string]any)
		if fields["worker"] == nil {
			t.Errorf("%s: no worker ran %s", dir, id)
		}
		delete(fields, "worker")
	}
	return all
}
