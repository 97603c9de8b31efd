package nats_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/hang"
)

// lines are the results in a file as request/eval, in their order.
func lines(t *testing.T, file string) (list []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var r struct {
			Seq     int    `json:"stream_seq"`
			Request string `json:"request_id"`
			Eval    string `json:"eval_id"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Seq != len(list)+1 {
			t.Fatalf("line %d: %v: %s", len(list)+1, err, line)
		}
		list = append(list, r.Request+"/"+r.Eval)
	}
	return list
}

func copyAll(t *testing.T, c *nats.Client, file string) {
	t.Helper()
	out, err := c.ResultsOutput(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.CatchUp(t.Context(), hang.Guard); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	file := filepath.Join(t.TempDir(), "results.jsonl")
	copyAll(t, c, file)
	var want []string
	for i := range 3 {
		r := request(fmt.Sprintf("r%d", i), "tone")
		publish(t, c, r)
		want = append(want, r.ID+"/tone")
		run(t, worker(c, evaluate(both)))
		copyAll(t, c, file)
		copyAll(t, c, file)
	}
	same(t, want, lines(t, file))
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) { // killed at any byte
		if err := os.WriteFile(file, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if cut%97 == 0 || whole[cut] == '\n' || cut > 0 && whole[cut-1] == '\n' {
			copyAll(t, c, file)
			same(t, want, lines(t, file))
		}
	}
}

func TestOutputFollows(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	file := filepath.Join(t.TempDir(), "results.jsonl")
	out, err := c.ResultsOutput(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- out.Copy(ctx) }()
	publish(t, c, request("a"))
	run(t, worker(c, evaluate(both)))
	b.Stop()
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	publish(t, c, request("b", "tone"))
	run(t, worker(c, evaluate(both)))
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for data := []byte(nil); bytes.Count(data, []byte("\n")) < 3; <-tick.C {
		if data, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	same(t, []string{"a/tone", "a/length", "b/tone"}, lines(t, file))
	if _, err := c.ResultsOutput(file); err == nil || !strings.Contains(err.Error(), "another process writes it") {
		t.Error(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestForeignOutput: a file that belongs to something else is left alone.
func TestForeignOutput(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	publish(t, c, request("a"))
	run(t, worker(c, evaluate(both)))
	for text, want := range map[string]string{
		"a diary\n": "its last line was not written by a worker; name another file",
		`{"stream_seq":9,"result_id":"x"}` + "\n": "was copied from another stream",
		`{"stream_seq":1,"result_id":"x"}` + "\n": "was copied from another stream",
	} {
		file := filepath.Join(t.TempDir(), "f.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := c.ResultsOutput(file)
		if err == nil {
			err = out.Copy(t.Context())
			_ = out.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if data, _ := os.ReadFile(file); string(data) != text {
			t.Errorf("%s became %s", text, data)
		}
	}
}

// TestDeadOutput: every line has each key once, and a file goes on where it ended, also one of an older arena.
func TestDeadOutput(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	publish(t, c, request("fine")) // so that the numbers of the streams differ
	run(t, worker(c, evaluate(both)))
	file := filepath.Join(t.TempDir(), "dead.jsonl")
	copyDead := func(old bool) {
		t.Helper()
		raw(t, b, "arena.evals.requests", []byte("{}"))
		run(t, worker(c, evaluate(both)))
		out, err := c.DeadOutput(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(out.CatchUp(t.Context(), hang.Guard), out.Close()); err != nil {
			t.Fatal(err)
		}
		if old {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, bytes.ReplaceAll(data, []byte("dead_seq"), []byte("stream_seq")), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	copyDead(true)
	copyDead(false)
	copyDead(false)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`{"stream_seq":1,`, `{"dead_seq":2,`, `{"dead_seq":3,`}
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if i >= len(want) || !strings.HasPrefix(line, want[i]) {
			t.Errorf("line %d: %s", i, line)
		}
		if i > 0 && strings.Count(line, `"stream_seq":`) != 1 {
			t.Errorf("a key is there twice: %s", line)
		}
	}
}
