package cli_test

import (
	"bytes"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/dispatch/natstest"
)

// resumable is a run in the background that can be killed and gone on with.
type resumable struct {
	*testing.T
	run   func(more ...string) *exec.Cmd
	cmd   *exec.Cmd
	said  *bytes.Buffer
	ended chan error
}

func (r *resumable) start(more ...string) {
	r.Helper()
	r.cmd, r.said, r.ended = r.run(more...), &bytes.Buffer{}, make(chan error, 1)
	r.cmd.Stdout, r.cmd.Stderr = r.said, r.said
	if err := r.cmd.Start(); err != nil {
		r.Fatal(err)
	}
	go func(cmd *exec.Cmd, ended chan<- error) { ended <- cmd.Wait() }(r.cmd, r.ended)
}

// killAndResume reports whether the run could be killed: it may just have ended.
func (r *resumable) killAndResume() bool {
	r.Helper()
	_ = r.cmd.Process.Kill()
	if err := <-r.ended; err == nil {
		r.ended <- nil
		return false
	}
	r.start("--resume")
	return true
}

// TestTortureCrew runs many trials with three workers, of which again and again one is killed and replaced, while the
// broker is restarted twice and the coordinator is killed once and resumed: every trial is there once, with the results
// of a run that nobody disturbed, and no more trials were paid for twice than the killed workers had in hand. A run
// that ends before all of it has happened is one, too: nothing here depends on how fast the machine is.
func TestTortureCrew(t *testing.T) {
	t.Parallel()
	trials, every := 300, 25 // requests between two of these
	if os.Getenv(tortureKills) != "" {
		trials, every = 10_000, 400
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
	model.begin(every)
	run := &resumable{T: t, run: func(more ...string) *exec.Cmd {
		words := append([]string{"run", "-q", "--format", "json", "-o", "out", "--workers", c.broker.URL(),
			"-j", strconv.Itoa(len(workers) * tortureJobs)}, more...)
		cmd := exec.CommandContext(t.Context(), "arena", words...)
		cmd.Dir = dir
		return cmd
	}}
	run.start()
	killed, restarted, resumed := 0, 0, 0
	var err error
	for n, over := 0, false; !over; n++ {
		select {
		case err = <-run.ended:
			over = true
			continue
		case <-model.due():
		}
		switch n {
		case 1, 5:
			c.broker.Stop()
			if err := c.broker.Start(); err != nil {
				t.Fatal(err)
			}
			restarted++
		case 3:
			if run.killAndResume() {
				resumed++
			}
		default:
			w := workers[n%len(workers)]
			_ = w.Process.Kill()
			_ = w.Wait() // it was killed
			killed++
			workers[n%len(workers)] = c.startWorker()
		}
		model.again(every)
	}
	t.Logf("%d trials, %d requests, %d workers killed, the broker restarted %d times, the run resumed %d times",
		trials, model.spent(), killed, restarted, resumed)
	if err != nil {
		t.Fatalf("%v\n%s", err, run.said)
	}
	got := byWorkers(t, filepath.Join(dir, "out"))
	if diff := cmp.Diff(want, got); diff != "" || len(got) != trials {
		t.Errorf("%d trials (-undisturbed +now):\n%s", len(got), diff)
	}
	if twice := model.spent() - trials; twice < 0 || twice > killed*tortureJobs {
		t.Errorf("%d requests were spent twice, with %d workers killed that had %d in hand each", twice, killed, tortureJobs)
	}
	for _, w := range workers {
		c.stopWorker(w)
	}
}
