package fleet_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/fleet"
)

// desk is a coordinator whose jobs go nowhere, with a clock that stands still.
type desk struct {
	*fleet.Coordinator
	mu    sync.Mutex
	told  []string
	now   time.Time
	asked chan *fleet.Job
}

func newDesk() *desk {
	d := &desk{asked: make(chan *fleet.Job, 10), now: time.Unix(1_750_000_000, 0)}
	d.Coordinator = &fleet.Coordinator{
		Run: "run00000", Trials: 5, Warn: 30 * time.Second, Patience: 10 * time.Minute,
		Ask: func(_ context.Context, j *fleet.Job) error { d.asked <- j; return nil },
		Notify: func(text string) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.told = append(d.told, text)
		},
		Now: func() time.Time { return d.now },
	}
	return d
}

func (d *desk) said() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.told, "\n")
}

type done struct {
	o   *fleet.Outcome
	err error
}

// do asks for a trial, and returns when it is asked for.
func (d *desk) do(ctx context.Context, index int, started func()) <-chan done {
	got := make(chan done, 1)
	go func() {
		o, err := d.Do(ctx, &fleet.Job{Index: index, Trial: "t", Fingerprint: "f", Needs: "model"}, started)
		got <- done{o, err}
	}()
	<-d.asked
	return got
}

func outcome(index int) *fleet.Outcome {
	return &fleet.Outcome{Run: "run00000", Index: index, Trial: "t", Fingerprint: "f", Worker: "w", Tries: 1, Line: []byte("{}")}
}

// TestEachTrialOnce: a result that comes again counts once, one that comes before it is asked for is kept, and one of a
// trial that there is not is refused.
func TestEachTrialOnce(t *testing.T) {
	t.Parallel()
	d := newDesk()
	began := 0
	got := d.do(t.Context(), 1, func() { began++ })
	d.Outcome(1, outcome(1), nil)
	if r := <-got; r.err != nil || r.o.Index != 1 || began != 1 {
		t.Errorf("%+v, begun %d times", r, began)
	}
	d.Outcome(1, outcome(1), nil)
	again := outcome(2)
	again.Tries = 2
	d.Outcome(2, again, nil)
	d.Outcome(2, again, nil)
	d.Outcome(5, outcome(5), nil)
	if o, err := d.Do(t.Context(), &fleet.Job{Index: 2, Trial: "t", Fingerprint: "f"}, func() { began++ }); err != nil ||
		o.Index != 2 || began != 2 {
		t.Errorf("%+v, %v, begun %d", o, err, began)
	}
	if !strings.Contains(d.said(), "the plan has no trial number 5") {
		t.Error(d.said())
	}
	want := "2 trials were given to workers more than once: what tries without a result have cost is not known, and in no sum; " +
		"2 results came twice, and counted once"
	if told := d.DeliveryNote(); told != want {
		t.Errorf("told %q", told)
	}
}

// TestStrangersAreRefused: what did not come of the trial that was asked for ends it as an error, and is told.
func TestStrangersAreRefused(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(o *fleet.Outcome) error{
		`the result is of the trial "other", and t was asked for`: func(o *fleet.Outcome) error { o.Trial = "other"; return nil },
		`the result has the fingerprint "g", and f was asked for`: func(o *fleet.Outcome) error { o.Fingerprint = "g"; return nil },
		"the message cannot be read: it ends in the middle":       func(*fleet.Outcome) error { return errors.New("the message cannot be read: it ends in the middle") },
		`the result is of the run "other", and this one is run000`: func(*fleet.Outcome) error {
			return errors.New(`the result is of the run "other", and this one is run000`)
		},
	} {
		d := newDesk()
		got := d.do(t.Context(), 1, func() {})
		o := outcome(1)
		d.Outcome(1, o, change(o))
		if r := <-got; r.err == nil || r.err.Error() != want {
			t.Errorf("%v, want %s", r.err, want)
		}
		if !strings.Contains(d.said(), "a result of the trial t was refused: "+want) {
			t.Error(d.said())
		}
	}
}

// TestNobodyCanRunIt: it is told with what each worker lacks, again when somebody comes, and given up after a while.
func TestNobodyCanRunIt(t *testing.T) {
	t.Parallel()
	d := newDesk()
	got := d.do(t.Context(), 1, func() {})
	d.Look()
	lacking := &fleet.Presence{Worker: "w1", Lacks: map[string]string{"model": "no key"}}
	d.now = d.now.Add(20 * time.Second)
	d.Presence(lacking, nil)
	d.Presence(&fleet.Presence{Worker: "w2", Arena: "0.1", Refuses: "it is of arena 2, and this worker is arena 1"}, nil)
	d.Look()
	if strings.Contains(d.said(), "warning") {
		t.Errorf("told too early: %s", d.said())
	}
	d.now = d.now.Add(10 * time.Second)
	d.Look()
	d.Look()
	want := "worker w2 takes no trial of this run: it is of arena 2, and this worker is arena 1\n" +
		"warning: no worker can run the trials of model, and 1 trial waits: w1: no key; w2: it is of arena 2, and this worker is arena 1"
	if d.said() != want {
		t.Errorf("%s", d.said())
	}
	d.Presence(&fleet.Presence{Worker: "w3", Serves: []string{"model"}}, nil)
	d.Look()
	if !strings.HasSuffix(d.said(), "\nworker w3 runs the trials of model now") {
		t.Error(d.said())
	}
	d.now = d.now.Add(time.Minute) // and has not been heard of since
	d.Look()
	d.now = d.now.Add(10*time.Minute - time.Second)
	d.Look()
	select {
	case r := <-got:
		t.Fatalf("given up too early: %v", r.err)
	default:
	}
	d.now = d.now.Add(time.Second)
	d.Look()
	want = "no worker could run it for 10m0s: there is no worker; start some with arena worker --trials URL; " +
		"w1, which is gone: no key; w2, which is gone: it is of arena 2, and this worker is arena 1; w3: it is gone"
	if r := <-got; r.err == nil || r.err.Error() != want {
		t.Errorf("%v", r.err)
	}
}

// TestWhoLeavesIsRemembered: why a worker takes no trial is told when it has left, also where it says so as it leaves.
func TestWhoLeavesIsRemembered(t *testing.T) {
	t.Parallel()
	d := newDesk()
	got := d.do(t.Context(), 1, func() {})
	d.Presence(&fleet.Presence{Worker: "w1", Lacks: map[string]string{"model": "no key"}}, nil)
	d.Presence(&fleet.Presence{Worker: "w1", Leaves: true}, nil)
	d.Presence(&fleet.Presence{Worker: "w2", Refuses: "no files", Leaves: true}, nil)
	d.Presence(&fleet.Presence{Worker: "w2", Refuses: "no files", Leaves: true}, nil)
	d.Look()
	d.now = d.now.Add(time.Minute)
	d.Look()
	want := "worker w2 takes no trial of this run: no files\n" +
		"warning: no worker can run the trials of model, and 1 trial waits: there is no worker; start some with arena worker " +
		"--trials URL; w1, which is gone: no key; w2, which is gone: no files"
	if d.said() != want {
		t.Errorf("%s", d.said())
	}
	d.Outcome(1, outcome(1), nil)
	<-got
}

// TestBrokerWithoutMemory: the trials that are waited for are asked for again when the broker has lost them, but not
// one that a worker has in hand, as long as it is there.
func TestBrokerWithoutMemory(t *testing.T) {
	t.Parallel()
	d := newDesk()
	idle, held := d.do(t.Context(), 1, func() {}), d.do(t.Context(), 2, func() {})
	d.Lost()
	if !strings.Contains(d.said(), "2 trials that wait are asked for again") {
		t.Error(d.said())
	}
	d.now = d.now.Add(5 * time.Second)
	d.Presence(&fleet.Presence{Worker: "w", Serves: []string{"model"}, Holds: []int{2}}, nil)
	d.Look()
	select {
	case j := <-d.asked:
		t.Fatalf("%d is asked for before everybody can have said what they have", j.Index)
	default:
	}
	d.now = d.now.Add(7 * time.Second)
	d.Look()
	if j := <-d.asked; j.Index != 1 || !j.Again {
		t.Errorf("%+v is asked for", j)
	}
	d.Look()
	d.Presence(&fleet.Presence{Worker: "w", Leaves: true}, nil)
	d.Look()
	if j := <-d.asked; j.Index != 2 || !j.Again {
		t.Errorf("%+v is asked for", j)
	}
	d.Look()
	d.Outcome(1, outcome(1), nil)
	d.Outcome(2, outcome(2), nil)
	<-idle
	<-held
	select {
	case j := <-d.asked:
		t.Errorf("%d is asked for once more", j.Index)
	default:
	}
}

// TestStop: a trial that nobody has begun ends at once, and one that somebody has in hand with what came of it.
func TestStop(t *testing.T) {
	t.Parallel()
	d := newDesk()
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	began := make(chan bool, 1)
	idle := d.do(ctx, 1, func() {})
	busy := d.do(ctx, 2, func() { began <- true })
	two := 2
	d.Presence(&fleet.Presence{Worker: "w", Started: &two}, nil)
	<-began
	cancel(stop)
	if r := <-idle; !errors.Is(r.err, stop) {
		t.Errorf("%+v", r)
	}
	d.Outcome(2, outcome(2), nil)
	if r := <-busy; r.err != nil || r.o.Index != 2 {
		t.Errorf("%+v", r)
	}
	d.Outcome(1, outcome(1), nil) // too late, and nobody's
	lost := errors.New("no more results come")
	waits := d.do(t.Context(), 3, func() {})
	d.Break(lost)
	if r := <-waits; !errors.Is(r.err, lost) {
		t.Errorf("%+v", r)
	}
	if _, err := d.Do(t.Context(), &fleet.Job{Index: 4}, func() {}); !errors.Is(err, lost) {
		t.Errorf("%v", err)
	}
}

// TestDecode refuses what is no message, without reading on.
func TestDecode(t *testing.T) {
	t.Parallel()
	whole := map[string]any{
		"protocol": fleet.Protocol, "run": "run00000", "index": 1, "trial": "t", "fingerprint": "f", "worker": "w", "tries": 1,
		"line": map[string]any{},
	}
	for want, change := range map[string]map[string]any{
		"":                           nil,
		"it speaks protocol 9":       {"protocol": 9},
		`is of the run "other"`:      {"run": "other"},
		"the trial number -1":        {"index": -1},
		"not one of a line":          {"error": "gone"},
		"a file that there cannot ":  {"apart": "../x", "line": nil},
		"cannot be read":             {"more": 1},
		`has a part "other"`:         {"parts": map[string]any{"other": map[string]any{}}},
		`has a part "story" that th`: {"parts": map[string]any{"story": map[string]any{"apart": "../x"}}},
		`part "story" that there`:    {"parts": map[string]any{"story": nil}},
		"a text has 5.0 KiB":         {"worker": strings.Repeat("w", 5<<10)},
	} {
		m := map[string]any{}
		maps.Copy(m, whole)
		maps.Copy(m, change)
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fleet.DecodeOutcome(data, "run00000"); want == "" && err != nil ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	r, err := fleet.DecodeRun([]byte(`{"protocol": 7, "run": "run00000", "arena": "9.1", "new": true}`))
	if _, other := errors.AsType[*fleet.OtherVersionError](err); !other || r.ID != "run00000" ||
		err.Error() != `it speaks protocol 7, of arena "9.1"; this arena speaks 4` {
		t.Errorf("%+v, %v", r, err)
	}
	p, err := fleet.DecodePresence([]byte(`{"protocol": 7, "run": "run00000", "worker": "w", "arena": "9.1", "new": 1}`), "run00000")
	if err != nil || p.Refuses == "" {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []string{
		``, `{}`, `{"protocol":4,"run":"x"}`, `{"protocol":4,"run":"../../../../x","spec":{}}`,
		`{"protocol":4,"run":"run00000","spec":{},"bundle":{"sha256":"ab","size":1}}`,
	} {
		if _, err := fleet.DecodeRun([]byte(bad)); err == nil {
			t.Errorf("%s: it is taken", bad)
		}
	}
	for _, bad := range []string{``, `{"protocol":4,"run":"other"}`, `{"protocol":4,"run":"run00000","index":-1}`} {
		if _, err := fleet.DecodeJob([]byte(bad), "run00000"); err == nil {
			t.Errorf("%s: it is taken", bad)
		}
	}
}
