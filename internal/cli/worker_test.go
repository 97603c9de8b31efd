package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/hang"
)

// proofRequests is how many requests TestNothingIsLost has. PROOF_REQUESTS sets another number:
//
//	PROOF_REQUESTS=10000 go test ./internal/cli -run TestNothingIsLost -v
const proofRequests = 300

const proofPack = `{
 "id": "shop", "name": "Shop", "version": "1.0.0", "template_engine": {"version": "v1", "syntax": "{{variable}}"},
 "prompts": {"talk": {"id": "talk", "name": "Talk", "version": "1.0.0", "system_template": "Be kind."}},
 "evals": [
  {"id": "kind", "type": "contains", "trigger": "on_session_complete", "params": {"patterns": ["thank"]}},
  {"id": "length", "type": "max_length", "trigger": "on_conversation_complete", "params": {"max": 100}}
 ]}`

// TestNothingIsLost has three worker processes on one stream, kills one of them with -9 and restarts the broker, both
// in the middle: every result is there, once, in the output of each.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	n := proofRequests
	if text := os.Getenv("PROOF_REQUESTS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	p := newProof(t)
	p.publish(n)
	began := time.Now()
	workers := []*process{p.worker(0), p.worker(1), p.worker(2)}
	p.until(workers[0], n/2)
	if err := workers[1].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.until(workers[0], n)
	p.broker.Stop()
	if err := p.broker.Start(); err != nil {
		t.Fatal(err)
	}
	if <-workers[1].gone; workers[1].err == nil {
		t.Error("the worker was not killed")
	}
	p.end(workers[0], 2*n)
	p.end(workers[2], 2*n)
	t.Logf("%d requests, 2 evals each: %.1fs", n, time.Since(began).Seconds())
	// Another goes on with the file of the one that was killed, until nothing is left of what that one had in hand.
	workers[1] = p.worker(1, "--idle", "1s")
	workers[1].ended(t)
	for _, w := range workers {
		p.check(w, n)
		t.Logf("%s: %s", filepath.Base(w.output), w.last())
	}
}

// TestBrokerGone: a worker that would end once it is idle ends with an error when its broker does not come back. It was
// not idle: something was left to do that no worker takes.
func TestBrokerGone(t *testing.T) {
	t.Parallel()
	p := newProof(t)
	c, err := nats.Connect(t.Context(), nats.Options{URL: p.broker.URL(), Patience: hang.Guard})
	if err != nil {
		t.Fatal(err)
	}
	strange := proofRequest(1)
	strange.Evals = []string{"nobody-has-it"}
	for _, r := range []*dispatch.Request{strange, proofRequest(0)} {
		if err := errors.Join(c.Prepare(t.Context()), c.Publish(t.Context(), r)); err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	w := p.worker(0, "--idle", "100ms", "--give-back", "24h")
	p.until(w, 2)
	p.broker.Stop()
	<-w.gone
	want := "arena: " + p.broker.URL() + ": the broker has been away for 100ms\n"
	if code := w.cmd.ProcessState.ExitCode(); code != 3 || strings.Count(w.said.String(), want) != 1 {
		t.Errorf("exit status %d, want 3, and to be told once %s%s", code, want, w.said.String())
	}
	// Nor does one come back that was never there.
	w = p.worker(0, "--idle", "100ms")
	<-w.gone
	if code := w.cmd.ProcessState.ExitCode(); code != 3 || !strings.Contains(w.said.String(), "(tried for 100ms)") {
		t.Errorf("exit status %d, want 3\n%s", code, w.said.String())
	}
}

// proof is a stream with workers on it.
type proof struct {
	*testing.T
	dir    string
	pack   string // the file that all workers read
	broker *natstest.Broker
}

func newProof(t *testing.T) *proof {
	t.Helper()
	p := &proof{T: t, dir: t.TempDir(), broker: natstest.New(t)}
	p.pack = filepath.Join(p.dir, "shop.pack.json")
	if err := os.WriteFile(p.pack, []byte(proofPack), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// publish stores requests, several at once.
func (p *proof) publish(n int) {
	p.Helper()
	c, err := nats.Connect(p.Context(), nats.Options{URL: p.broker.URL(), Patience: hang.Guard})
	if err != nil {
		p.Fatal(err)
	}
	defer c.Close()
	if err := c.Prepare(p.Context()); err != nil {
		p.Fatal(err)
	}
	var all sync.WaitGroup
	const lanes = 16
	for lane := range lanes {
		all.Go(func() {
			for i := lane; i < n; i += lanes {
				if err := c.Publish(p.Context(), proofRequest(i)); err != nil {
					p.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func proofRequest(i int) *dispatch.Request {
	return &dispatch.Request{
		Version: dispatch.Version, ID: fmt.Sprintf("r%05d", i), Session: fmt.Sprintf("s%05d", i), Moment: dispatch.End,
		Messages: []dispatch.Message{
			{Message: chat.Message{Role: chat.User, Content: "hi"}},
			{Message: chat.Message{Role: chat.Assistant, Content: fmt.Sprintf("thank you for visit %d", i)}},
		},
	}
}

// process is an arena worker.
type process struct {
	cmd    *exec.Cmd
	output string
	said   bytes.Buffer
	gone   chan struct{} // closed when it has ended
	err    error         // of its end
}

// worker starts the i-th worker, which writes into a file of its own.
func (p *proof) worker(i int, args ...string) *process {
	p.Helper()
	w := &process{output: filepath.Join(p.dir, fmt.Sprintf("worker-%d.jsonl", i+1)), gone: make(chan struct{})}
	w.cmd = exec.CommandContext(p.Context(), "arena", "worker", "--nats", p.broker.URL(), "--pack", p.pack,
		"--output", w.output, "-j", "8", "--ack-wait", "3s", "--durable", "proof")
	w.cmd.Args = append(w.cmd.Args, args...)
	w.cmd.Stderr = &w.said
	w.cmd.Dir = p.dir
	if err := w.cmd.Start(); err != nil {
		p.Fatal(err)
	}
	go func() {
		defer close(w.gone)
		w.err = w.cmd.Wait()
	}()
	return w
}

// until waits for so many results in the output of a worker.
func (p *proof) until(w *process, results int) {
	p.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(hang.Guard)
	lines, at := 0, int64(0)
	for lines < results {
		select {
		case <-tick.C:
		case <-w.gone:
			p.Fatalf("the worker ended early: %v\n%s", w.err, w.said.String())
		case <-limit:
			p.Fatalf("%s has %d results, want %d\n%s", w.output, lines, results, w.said.String())
		}
		f, err := os.Open(w.output)
		if err != nil {
			continue // not yet
		}
		more, err := io.ReadAll(io.NewSectionReader(f, at, 1<<62))
		if err != nil {
			p.Fatal(err)
		}
		_ = f.Close() // it was only read
		at += int64(len(more))
		lines += bytes.Count(more, []byte("\n"))
	}
}

// end stops a worker that has written down so many results.
func (p *proof) end(w *process, results int) {
	p.Helper()
	p.until(w, results)
	if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
		p.Fatal(err)
	}
	w.ended(p.T)
}

func (w *process) ended(t *testing.T) {
	t.Helper()
	if <-w.gone; w.err != nil {
		t.Errorf("%v\n%s", w.err, w.said.String())
	}
}

// last is the last line that the worker said.
func (w *process) last() string {
	lines := strings.Split(strings.TrimSpace(w.said.String()), "\n")
	return lines[len(lines)-1]
}

// check expects every result once in the output of a worker.
func (p *proof) check(w *process, n int) {
	p.Helper()
	data, err := os.ReadFile(w.output)
	if err != nil {
		p.Fatal(err)
	}
	seen := map[string]int{}
	for line := range strings.Lines(string(data)) {
		var r struct {
			Request string   `json:"request_id"`
			Eval    string   `json:"eval_id"`
			Score   *float64 `json:"score"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			p.Fatalf("%s: %v: %s", w.output, err, line)
		}
		if r.Score == nil || *r.Score != 1 {
			p.Errorf("%s: %s", w.output, line)
		}
		seen[r.Request+"/"+r.Eval]++
	}
	for i := range n {
		for _, eval := range []string{"kind", "length"} {
			id := proofRequest(i).ID + "/" + eval
			if seen[id] != 1 {
				p.Errorf("%s has %s %d times", w.output, id, seen[id])
			}
			delete(seen, id)
		}
	}
	if len(seen) > 0 {
		p.Errorf("%s has %v besides", w.output, seen)
	}
}
