package nats_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/fleet"
	"github.com/arena-evals/arena/internal/hang"
)

const aRun = "run00000"

func trialsOn(t testing.TB, b *natstest.Broker) *nats.Trials {
	t.Helper()
	c, err := nats.Connect(t.Context(), nats.Options{URL: b.URL(), Stream: nats.DefaultTrials, Patience: hang.Guard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	trials, err := c.PrepareTrials(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return trials
}

func aJob(index int) *fleet.Job {
	return &fleet.Job{Run: aRun, Index: index, Trial: fmt.Sprint("t", index), Fingerprint: "f", Needs: "model"}
}

// served starts a worker whose jobs are done by do, and gives back how to stop it.
func served(t *testing.T, trials *nats.Trials, do func(context.Context, *fleet.Job) (*fleet.Done, error)) (*sync.WaitGroup, func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	w := &nats.TrialWorker{
		Trials: trials, Run: aRun, Needs: []string{"model"}, Jobs: 4, Name: "w", MaxDeliver: 2, AckWait: 10 * time.Second,
		Do: do, Check: func(*fleet.Job) error { return nil }, Notify: func(text string) { t.Log(text) },
	}
	var running sync.WaitGroup
	running.Go(func() {
		if err := w.Serve(ctx, ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { stop(); running.Wait() })
	return &running, stop
}

// came reads so many results of the run.
func came(t *testing.T, trials *nats.Trials, n int) map[int]*fleet.Outcome {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hang.Guard)
	defer stop()
	all := map[int]*fleet.Outcome{}
	err := trials.Outcomes(ctx, aRun, func(index int, o *fleet.Outcome, err error) {
		if err != nil {
			t.Error(err)
		}
		if all[index] = o; len(all) == n {
			stop()
		}
	})
	if err != nil || len(all) < n {
		t.Fatalf("%d results, %v", len(all), err)
	}
	return all
}

// TestTrialSoonRunAgain: the result of a trial that is asked for again, after its first result was taken, is no double
// of that, as it is the same job of the same worker.
func TestTrialSoonRunAgain(t *testing.T) {
	t.Parallel()
	trials := trialsOn(t, natstest.New(t))
	served(t, trials, func(context.Context, *fleet.Job) (*fleet.Done, error) {
		return &fleet.Done{Line: []byte("{}")}, nil
	})
	for range 3 {
		if err := trials.Ask(t.Context(), aJob(0)); err != nil {
			t.Fatal(err)
		}
		came(t, trials, 1)
		if err := trials.Taken(t.Context(), aRun); err != nil {
			t.Fatal(err)
		}
	}
}

// TestJobsAreDoneOnce: a job that waits already is not stored twice, and its result stays where it is when it is asked
// for again. What is larger than a message lies apart.
func TestJobsAreDoneOnce(t *testing.T) {
	t.Parallel()
	trials := trialsOn(t, natstest.New(t))
	large := `{"text":"` + strings.Repeat("x", 3<<20) + `"}`
	for range 2 {
		for i := range 3 {
			if err := trials.Ask(t.Context(), aJob(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var mu sync.Mutex
	done := map[int]int{}
	served(t, trials, func(_ context.Context, j *fleet.Job) (*fleet.Done, error) {
		mu.Lock()
		defer mu.Unlock()
		done[j.Index]++
		if j.Index == 1 {
			return &fleet.Done{Line: []byte(large), Parts: map[string][]byte{fleet.StoryPart: []byte("short")}}, nil
		}
		return &fleet.Done{
			Line: []byte(`{"n":` + fmt.Sprint(j.Index) + `}`), Parts: map[string][]byte{fleet.StoryPart: []byte(large)},
		}, nil
	})
	all := came(t, trials, 3)
	if string(all[1].Line) != large || string(all[2].Line) != `{"n":2}` || all[2].Worker != "w" || all[2].Tries != 1 {
		t.Errorf("%d bytes, %s", len(all[1].Line), all[2].Line)
	}
	for i, want := range []string{large, "short", large} {
		if got := all[i].Parts[fleet.StoryPart]; got == nil || got.Error != "" || string(got.Data) != want {
			t.Errorf("what comes with result %d: %+v", i, got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for i, n := range done {
		if n != 1 {
			t.Errorf("job %d was done %d times", i, n)
		}
	}
	held := 0
	if err := trials.Held(t.Context(), aRun, func(int, *fleet.Outcome, error) { held++ }); err != nil || held != 3 {
		t.Errorf("%d held, %v", held, err)
	}
	if err := trials.Forget(t.Context(), aRun); err != nil {
		t.Error(err)
	}
	held = 0
	if err := trials.Held(t.Context(), aRun, func(int, *fleet.Outcome, error) { held++ }); err != nil || held != 0 {
		t.Errorf("%d held, %v", held, err)
	}
}

// TestJobsOfTheDead: a job that was delivered too often is given up with the reason, and one whose result is there is
// not done again.
func TestJobsOfTheDead(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	trials := trialsOn(t, b)
	if err := errors.Join(trials.Ask(t.Context(), aJob(0)), trials.Ask(t.Context(), aJob(1))); err != nil {
		t.Fatal(err)
	}
	dying := make(chan struct{})
	var once sync.Once
	running, stop := served(t, trials, func(ctx context.Context, j *fleet.Job) (*fleet.Done, error) {
		if j.Index == 0 {
			return nil, errors.New("it cannot be run") // again and again
		}
		once.Do(func() { close(dying) })
		return &fleet.Done{Line: []byte(`{}`)}, nil
	})
	<-dying
	all := came(t, trials, 2)
	if all[0].Error != "it was given to workers 2 times, and none of them sent a result: they died, lost the connection, "+
		"or gave it back" || all[0].Tries != 3 {
		t.Errorf("%+v", all[0])
	}
	stop()
	running.Wait()
	// As if the worker had died between the result and its confirmation: the job comes again.
	if err := trials.Ask(t.Context(), aJob(1)); err != nil {
		t.Fatal(err)
	}
	delivered := make(chan int, 10)
	served(t, trials, func(_ context.Context, j *fleet.Job) (*fleet.Done, error) {
		delivered <- j.Index
		return &fleet.Done{Line: []byte(`{"again":true}`)}, nil
	})
	<-delivered // a first delivery is believed
	if again := came(t, trials, 2); string(again[1].Line) != `{}` {
		t.Errorf("the second result took the place of the first: %s", again[1].Line)
	}
}

// TestHostileResults are refused, each with the reason and the number of the trial under which it came.
func TestHostileResults(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	trials := trialsOn(t, b)
	conn, err := natsgo.Connect(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	const good = `"protocol":4,"run":"run00000","trial":"t","fingerprint":"f","worker":"w","tries":1`
	wants := map[string]string{}
	for i, c := range []struct{ subject, data, want string }{
		{"0", `{`, "cannot be read"},
		{"1", `{` + good + `,"index":7,"line":{}}`, "is of the trial number 7, and came as that of number 1"},
		{"2", `{"protocol":4,"run":"other","index":2,"line":{}}`, `is of the run "other"`},
		{"3", `{` + good + `,"index":3,"apart":"nowhere","size":5}`, "no piece 0"},
		{"4", `{` + good + `,"index":4,"apart":"nowhere","size":99999999999}`, "at most 256.0 MiB are read"},
		{"5", `{` + good + `,"index":5,"apart":"nowhere","size":0}`, "is another one"},
		{"x", `{}`, "which no job has"},
	} {
		if _, err := js.Publish(t.Context(), "arena.trials.results.run00000."+c.subject, []byte(c.data)); err != nil {
			t.Fatal(i, err)
		}
		wants[c.subject] = c.want
	}
	ctx, stop := context.WithTimeout(t.Context(), hang.Guard)
	defer stop()
	err = trials.Outcomes(ctx, aRun, func(index int, _ *fleet.Outcome, err error) {
		subject := fmt.Sprint(index)
		if index < 0 {
			subject = "x"
		}
		if err == nil || !strings.Contains(err.Error(), wants[subject]) {
			t.Errorf("%s: %v, want %s", subject, err, wants[subject])
		}
		if delete(wants, subject); len(wants) == 0 {
			stop()
		}
	})
	if err != nil || len(wants) > 0 {
		t.Errorf("%v, %v", err, wants)
	}
}

// TestFilesInPieces come back as they were, and no file that is another one.
func TestFilesInPieces(t *testing.T) {
	t.Parallel()
	trials := trialsOn(t, natstest.New(t))
	content := bytes.Repeat([]byte("0123456789abcdef"), 150_000)
	for range 2 {
		if err := trials.PutFile(t.Context(), "some-file", content); err != nil {
			t.Fatal(err)
		}
	}
	got, err := trials.GetFile(t.Context(), "some-file", int64(len(content)))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for size, want := range map[int64]string{
		10: "has 524288 bytes, and 10 were announced", int64(len(content)) + 1: "no piece 5",
	} {
		if _, err := trials.GetFile(t.Context(), "some-file", size); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
