package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answer is a provider that calls a function.
type answer func(ctx context.Context, req *chat.Request) (chat.Reply, error)

func (f answer) Complete(ctx context.Context, req *chat.Request, _ func(chat.Delta) error) (chat.Reply, error) {
	return f(ctx, req)
}

func says(text string) answer {
	return func(context.Context, *chat.Request) (chat.Reply, error) {
		return chat.Reply{Content: text, FinishReason: "stop"}, nil
	}
}

// planOf is n trials of one scenario with the given turns.
func planOf(t testing.TB, n int, client providers.Provider, turns ...scenario.Turn) *Plan {
	t.Helper()
	registry, err := tools.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(turns) == 0 {
		turns = []scenario.Turn{{Role: "user", Content: "hi"}}
	}
	p := &project{Project: &scenario.Project{}, tools: tools.NewKit(registry)}
	endpoint := &Endpoint{Spec: &scenario.Provider{Meta: scenario.Meta{ID: "p"}}, Client: client, Simulated: true}
	plan := &Plan{}
	for i := range n {
		plan.add(span{count: 1, Trial: Trial{
			Project: p, Endpoint: endpoint, Region: "default", N: 1, Of: 1,
			Scenario: &scenario.Scenario{Meta: scenario.Meta{ID: fmt.Sprintf("s%03d", i)}, Turns: turns},
		}})
	}
	return plan
}

func options(jobs int) Options {
	return Options{Jobs: jobs, Now: time.Now, Crash: func(string, any, []byte) {}}
}

// watcher is a sink that keeps the trials and calls a function with each.
type watcher struct {
	mu     sync.Mutex
	trials []*result.Trial
	each   func(*result.Trial) error
}

func (w *watcher) Handle(e result.Event) error {
	d, ok := e.(result.TrialDone)
	if !ok {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trials = append(w.trials, d.Trial)
	if w.each != nil {
		return w.each(d.Trial)
	}
	return nil
}

func (w *watcher) count(s result.Status) int {
	n := 0
	for _, trial := range w.trials {
		if trial.Status == s {
			n++
		}
	}
	return n
}

// counted is a journal file that counts its syncs.
type counted struct {
	*os.File
	syncs atomic.Int64
}

func (c *counted) Sync() error {
	c.syncs.Add(1)
	return c.File.Sync()
}

func journalFor(t *testing.T) (*result.Journal, *counted) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	file := &counted{File: f}
	j, err := result.NewJournal(file, result.JournalHeader{})
	if err != nil {
		t.Fatal(err)
	}
	return j, file
}

// A trial is on disk before the sink receives it.
func TestEveryTrialIsInTheJournalBeforeItIsReported(t *testing.T) {
	t.Parallel()
	journal, file := journalFor(t)
	w := &watcher{}
	w.each = func(trial *result.Trial) error {
		data, err := os.ReadFile(file.Name())
		if err != nil {
			return err
		}
		if !strings.Contains(string(data), `"id":"`+trial.ID+`"`) {
			return fmt.Errorf("%s was reported and is not in the journal", trial.ID)
		}
		return nil
	}
	const n = 300
	if err := Run(t.Context(), planOf(t, n, says("hello")), options(8), journal, w); err != nil {
		t.Fatal(err)
	}
	if w.count(result.Passed) != n {
		t.Errorf("%d of %d trials passed", w.count(result.Passed), n)
	}
	if syncs := file.syncs.Load(); syncs == 0 || syncs > n {
		t.Errorf("%d syncs for %d trials", syncs, n)
	}
}

// One sync serves the trials that finish while the sink blocks the consumer: most of them, and some on any machine. None
// waits for room, however many run at once.
func TestTrialsShareASync(t *testing.T) {
	t.Parallel()
	const n = 3 * maxBatch
	journal, file := journalFor(t)
	var finished sync.WaitGroup
	finished.Add(n)
	client := answer(func(context.Context, *chat.Request) (chat.Reply, error) {
		finished.Done()
		return chat.Reply{Content: "ok"}, nil
	})
	w := &watcher{each: func(*result.Trial) error {
		finished.Wait() // the first trial is reported only when all have been answered
		return nil
	}}
	if err := Run(t.Context(), planOf(t, n, client), options(n), journal, w); err != nil {
		t.Fatal(err)
	}
	if syncs := file.syncs.Load(); syncs >= n {
		t.Errorf("%d syncs for %d trials that finished together", syncs, n)
	}
}

func TestACancelledRunStillEndsEveryTrial(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	client := answer(func(ctx context.Context, _ *chat.Request) (chat.Reply, error) {
		cancel(Stop())
		<-ctx.Done()
		return chat.Reply{}, context.Cause(ctx)
	})
	journal, _ := journalFor(t)
	w := &watcher{}
	if err := Run(ctx, planOf(t, 20, client), options(2), journal, w); err != nil {
		t.Fatal(err)
	}
	if got := w.count(result.Cancelled); got != 20 {
		t.Errorf("%d of 20 trials are cancelled", got)
	}
	for _, trial := range w.trials {
		if trial.Passed || trial.Skip == "" || strings.Contains(trial.Skip, "context canceled") {
			t.Errorf("%s: passed %v, reason %q", trial.ID, trial.Passed, trial.Skip)
		}
	}
}

func TestFailuresStopTheRest(t *testing.T) {
	t.Parallel()
	client := answer(func(_ context.Context, req *chat.Request) (chat.Reply, error) {
		if strings.HasSuffix(req.Origin.Scenario, "2") {
			return chat.Reply{}, errors.New("boom")
		}
		return chat.Reply{Content: "ok"}, nil
	})
	for limit, reason := range map[int]string{
		1: "not run: an earlier trial failed and --fail-fast is set",
		3: "not run: 3 trials have failed, and --max-failures 3 is set",
	} {
		opts := options(1)
		opts.MaxFailures = limit
		journal, _ := journalFor(t)
		w := &watcher{}
		const n = 2000 // many more than maxBatch
		if err := Run(t.Context(), planOf(t, n, client), opts, journal, w); err != nil {
			t.Fatal(err)
		}
		if len(w.trials) != n || w.count(result.Errored) != limit || w.count(result.Cancelled) == 0 {
			t.Errorf("limit %d: %d trials, %d errors, %d cancelled", limit,
				len(w.trials), w.count(result.Errored), w.count(result.Cancelled))
		}
		if last := w.trials[n-1]; last.Skip != reason {
			t.Errorf("limit %d: the last trial is %v, %q", limit, last.Status, last.Skip)
		}
	}
}

// full is a journal file on a disk with room for the header only.
type full struct {
	*os.File
	lines atomic.Int64
}

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if f.lines.Add(1) == 1 {
		return f.File.Write(b)
	}
	return 0, errFull
}

// TestAFullDiskPaysNoMoreThanIsInFlight: the worker that cannot write its trial stops the run at once.
func TestAFullDiskPaysNoMoreThanIsInFlight(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	client := answer(func(context.Context, *chat.Request) (chat.Reply, error) {
		calls.Add(1)
		return chat.Reply{Content: "ok"}, nil
	})
	_, file := journalFor(t)
	disk := &full{File: file.File}
	journal, err := result.NewJournal(disk, result.JournalHeader{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), planOf(t, 500, client), options(1), journal, &watcher{}); !errors.Is(err, errFull) {
		t.Fatalf("error %v", err)
	}
	if calls.Load() != 1 || disk.lines.Load() != 2 {
		t.Errorf("%d calls were paid for, and %d lines written", calls.Load(), disk.lines.Load())
	}
}

// TestTrialsInFlightOutliveAFullDisk: a journal that goes on elsewhere starts no trial any more, and has all that were in
// flight.
func TestTrialsInFlightOutliveAFullDisk(t *testing.T) {
	t.Parallel()
	const jobs = 4
	var calls atomic.Int64
	moved, started := make(chan struct{}), make(chan struct{})
	client := answer(func(ctx context.Context, _ *chat.Request) (chat.Reply, error) {
		wait := moved // the others end when the disk is full
		switch n := calls.Add(1); n {
		case jobs:
			close(started)
			fallthrough
		case 1:
			wait = started
		}
		select {
		case <-wait:
			return chat.Reply{Content: "ok"}, nil
		case <-ctx.Done():
			return chat.Reply{}, context.Cause(ctx)
		}
	})
	_, file := journalFor(t)
	_, other := journalFor(t)
	journal, err := result.NewJournal(&full{File: file.File}, result.JournalHeader{})
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	journal.SetFallback(func(io.ReaderAt, int64, error) (result.Syncer, error) {
		once.Do(func() { close(moved) })
		return other, nil
	})
	w := &watcher{}
	if err := Run(t.Context(), planOf(t, 100, client), options(jobs), journal, w); !errors.Is(err, errFull) {
		t.Fatalf("error %v", err)
	}
	if n := int(calls.Load()); n < jobs || n == 100 || w.count(result.Passed) != n || len(w.trials) != 100 {
		t.Errorf("%d calls, %d trials passed of %d that were told", n, w.count(result.Passed), len(w.trials))
	}
}

// No tokens are spent after the disk is full.
func TestASinkThatFailsEndsTheRun(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	client := answer(func(context.Context, *chat.Request) (chat.Reply, error) {
		calls.Add(1)
		return chat.Reply{Content: "ok"}, nil
	})
	full := errors.New("no space left")
	journal, _ := journalFor(t)
	w := &watcher{each: func(*result.Trial) error { return full }}
	const n = 5000
	if err := Run(t.Context(), planOf(t, n, client), options(2), journal, w); !errors.Is(err, full) {
		t.Fatalf("error %v", err)
	}
	if len(w.trials) != n || calls.Load() == n {
		t.Errorf("%d trials of %d were told, %d calls made after the disk was full", len(w.trials), n, calls.Load())
	}
}

// TestTrialsInFlightOutliveASink: what is paid for comes to its end and into the journal, also when a sink has failed.
func TestTrialsInFlightOutliveASink(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	started, ended := make(chan struct{}), make(chan struct{})
	client := answer(func(ctx context.Context, _ *chat.Request) (chat.Reply, error) {
		wait := ended // which is heard after the sink has failed
		if calls.Add(1) == 1 {
			wait = started
		}
		select {
		case <-wait:
			return chat.Reply{Content: "ok"}, nil
		case <-ctx.Done():
			return chat.Reply{}, context.Cause(ctx)
		}
	})
	full := errors.New("no space left")
	starts, once := 0, sync.Once{}
	w := failing(func(e result.Event) error {
		switch e.(type) {
		case result.TrialStarted:
			if starts++; starts == 4 {
				close(started)
				return full
			}
		case result.TrialDone:
			once.Do(func() { close(ended) })
		}
		return nil
	})
	journal, file := journalFor(t)
	opts := options(4)
	opts.Events = true
	if err := Run(t.Context(), planOf(t, 100, client), opts, journal, w); !errors.Is(err, full) {
		t.Fatalf("error %v", err)
	}
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte(`"status":"passed"`)); n != starts || n == 100 {
		t.Errorf("%d of %d trials that started are in the journal", n, starts)
	}
}

// failing is a sink that is a function.
type failing func(result.Event) error

func (f failing) Handle(e result.Event) error { return f(e) }

func TestAPanicIsAnErrorOfItsTrial(t *testing.T) {
	t.Parallel()
	client := answer(func(_ context.Context, req *chat.Request) (chat.Reply, error) {
		if req.Origin.Scenario == "s001" {
			panic("oops")
		}
		return chat.Reply{Content: "ok"}, nil
	})
	var crashed []string
	opts := options(1)
	opts.Crash = func(trial string, cause any, stack []byte) {
		crashed = append(crashed, fmt.Sprintf("%s %v %t", trial, cause, len(stack) > 0))
	}
	journal, _ := journalFor(t)
	w := &watcher{}
	if err := Run(t.Context(), planOf(t, 3, client), opts, journal, w); err != nil {
		t.Fatal(err)
	}
	if w.count(result.Passed) != 2 || w.count(result.Errored) != 1 || len(crashed) != 1 || crashed[0] != "s001/p/default oops true" {
		t.Errorf("%d passed, %d errors, crashes %v", w.count(result.Passed), w.count(result.Errored), crashed)
	}
}
