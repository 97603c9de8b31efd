package nats_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/result"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.(*Server).startGoRoutine.func1"),
		goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.init.0.func1"))
}

func connect(t *testing.T, o nats.Options) *nats.Client {
	t.Helper()
	c, err := nats.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func client(t *testing.T, b *natstest.Broker) *nats.Client {
	t.Helper()
	c := connect(t, nats.Options{URL: b.URL(), Patience: hang.Guard})
	if err := c.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func request(id string, evals ...string) *dispatch.Request {
	return &dispatch.Request{
		Version: dispatch.Version, ID: id, Session: "session " + id, Moment: dispatch.End, Evals: evals,
		Messages: []dispatch.Message{
			{Message: chat.Message{Role: chat.User, Content: "hello"}},
			{Message: chat.Message{Role: chat.Assistant, Content: "good day"}},
		},
	}
}

func publish(t *testing.T, c *nats.Client, requests ...*dispatch.Request) {
	t.Helper()
	for _, r := range requests {
		if err := c.Publish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
}

// evaluate is an Evaluator.
type evaluate func(ctx context.Context, r *dispatch.Request) ([]result.EvalResult, error)

func (f evaluate) Evaluate(ctx context.Context, r *dispatch.Request) ([]result.EvalResult, error) {
	return f(ctx, r)
}

// both measures two evals.
func both(context.Context, *dispatch.Request) ([]result.EvalResult, error) {
	return []result.EvalResult{
		{ID: "tone", Type: "regex", Turn: -1, Score: new(1.0)},
		{ID: "length", Type: "max_length", Turn: -1, Score: new(0.25)},
	}, nil
}

func worker(c *nats.Client, e nats.Evaluator) *nats.Worker {
	return &nats.Worker{
		Client: c, Evaluator: e, Name: "w", Jobs: 4, Idle: 300 * time.Millisecond, Now: time.Now,
		Retry: func(int) time.Duration { return time.Millisecond },
	}
}

func run(t *testing.T, w *nats.Worker) nats.Stats {
	t.Helper()
	if err := w.Run(t.Context(), t.Context()); err != nil {
		t.Fatal(err)
	}
	return w.Stats()
}

// stored are the messages of a stream, in order.
func stored(t *testing.T, b *natstest.Broker, stream string) (list []*jetstream.RawStreamMsg) {
	t.Helper()
	conn, err := natsgo.Connect(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	s, err := js.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	state := s.CachedInfo().State
	for seq := max(state.FirstSeq, 1); seq <= state.LastSeq; seq++ {
		msg, err := s.GetMsg(t.Context(), seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, msg)
	}
	return list
}

// results are the stored results as request/eval, sorted.
func results(t *testing.T, b *natstest.Broker) (list []string) {
	t.Helper()
	for _, msg := range stored(t, b, "ARENA_EVALS_RESULTS") {
		r, err := dispatch.DecodeResult(msg.Data)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r.Request+"/"+r.EvalResult.ID)
	}
	slices.Sort(list)
	return list
}

// letters are the dead letters as request: why: reason.
func letters(t *testing.T, b *natstest.Broker) (list []string) {
	t.Helper()
	for _, msg := range stored(t, b, "ARENA_EVALS_DEAD") {
		d, err := dispatch.DecodeDead(msg.Data)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%s: %s: %s", d.Request, d.Why, d.Reason))
	}
	slices.Sort(list)
	return list
}

func same[T any](t *testing.T, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWorker(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	publish(t, c, request("a"), request("b", "tone"), request("a"))
	same(t, nats.Stats{Requests: 2, Results: 3}, run(t, worker(c, evaluate(both))))
	same(t, []string{"a/length", "a/tone", "b/tone"}, results(t, b))
	same(t, 0, len(stored(t, b, "ARENA_EVALS")))
}

// TestDuplicates: a request that is there twice leaves its results once, however long ago the first was done.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	again := request("a")
	publish(t, c, again)
	run(t, worker(c, evaluate(both)))
	raw(t, b, "arena.evals.requests", encode(t, again)) // without the id by which the stream would know it
	same(t, nats.Stats{Requests: 1, Duplicates: 2}, run(t, worker(c, evaluate(both))))
	same(t, []string{"a/length", "a/tone"}, results(t, b))
}

// TestRetry: what cannot be measured is tried again, and in the end told.
func TestRetry(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	publish(t, c, request("late"), request("never"), request("crash"), request("other", "tone", "missing"))
	var tries atomic.Int64
	w := worker(c, evaluate(func(ctx context.Context, r *dispatch.Request) ([]result.EvalResult, error) {
		switch {
		case r.ID == "late" && tries.Add(1) < 3, r.ID == "never":
			return nil, errors.New("the judge is down")
		case r.ID == "crash":
			panic("oh")
		}
		return both(ctx, r)
	}))
	w.MaxDeliver = 3
	got := run(t, w)
	same(t, nats.Stats{Requests: 4, Results: 2, Redelivered: 6, Dead: 3}, got)
	same(t, []string{"late/length", "late/tone"}, results(t, b))
	same(t, []string{
		"crash: exhausted: tried 3 times: arena crashed: oh",
		"never: exhausted: tried 3 times: the judge is down",
		`other: unknown-eval: no eval "missing" fired here: is the worker's pack another one, or does a filter leave it out?`,
	}, letters(t, b))
}

// TestPoison: what is no request is given up at once, with what it was.
func TestPoison(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	for _, data := range []string{
		"\xff\x00", "", `{"version":2,"request_id":"new"}`, `{"version":1,"request_id":"x","sessionid":"y"}`,
		strings.Replace(string(encode(t, request("deep"))), `"hello"`, `"hello","shout":true`, 1),
		`{"version":1,"request_id":"a","session_id":7}`,
	} {
		raw(t, b, "arena.evals.requests", []byte(data))
	}
	same(t, nats.Stats{Requests: 6, Dead: 6}, run(t, worker(c, evaluate(both))))
	same(t, []string{
		": undecodable: the request cannot be read: invalid character 'ÿ' looking for beginning of value",
		": undecodable: the request cannot be read: it ends in the middle",
		"a: undecodable: the request cannot be read: session_id cannot be a JSON number",
		`deep: undecodable: the request cannot be read: unknown field "shout"`,
		"new: undecodable: the request has version 2; this arena reads version 1",
		`x: undecodable: the request cannot be read: unknown field "sessionid"`,
	}, letters(t, b))
}

// TestAbandoned: a request at which workers die is not tried for ever.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	publish(t, c, request("bomb"))
	for range 2 {
		w := worker(c, nil)
		w.AckWait, w.MaxDeliver, w.Idle, w.Jobs = 200*time.Millisecond, 2, 0, 1
		hard, die := context.WithCancel(t.Context())
		w.Evaluator = evaluate(func(ctx context.Context, _ *dispatch.Request) ([]result.EvalResult, error) {
			die()
			return nil, ctx.Err()
		})
		if err := w.Run(hard, hard); err != nil {
			t.Fatal(err)
		}
	}
	w := worker(c, evaluate(both))
	w.MaxDeliver, w.Jobs = 2, 1 // another job would be given the request as well where this one is slow to confirm it
	same(t, nats.Stats{Requests: 1, Redelivered: 1, Dead: 1}, run(t, w))
	same(t, []string{
		"bomb: abandoned: delivered 2 times without an answer: workers died or lost the connection while they evaluated it",
	}, letters(t, b))
}

// TestThreeWorkers share a stream, and none gets what another has.
func TestThreeWorkers(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	var want []string
	for i := range 60 {
		r := request(fmt.Sprintf("r%02d", i), "tone")
		publish(t, c, r)
		want = append(want, r.ID+"/tone")
	}
	var all sync.WaitGroup
	var total atomic.Int64
	for range 3 {
		all.Go(func() {
			w := worker(client(t, b), evaluate(both))
			if err := w.Run(t.Context(), t.Context()); err != nil {
				t.Error(err)
			}
			total.Add(w.Stats().Results)
		})
	}
	all.Wait()
	same(t, want, results(t, b))
	same(t, 60, total.Load())
}

// TestLong: while an eval lasts, the broker hears again and again that somebody is at it, so that nobody else is given
// the request.
func TestLong(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	conn, err := natsgo.Connect(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	alive := make(chan *natsgo.Msg, 1000)
	if _, err := conn.ChanSubscribe("$JS.ACK.ARENA_EVALS.>", alive); err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	publish(t, c, request("slow", "tone"))
	w := worker(c, nil)
	w.AckWait, w.Jobs = time.Second, 1
	w.Evaluator = evaluate(func(ctx context.Context, r *dispatch.Request) ([]result.EvalResult, error) {
		for range 5 { // more than fit into the ack wait
			same(t, "+WPI", string((<-alive).Data))
		}
		return both(ctx, r)
	})
	run(t, w)
	same(t, []string{"slow/tone"}, results(t, b))
}

func raw(t *testing.T, b *natstest.Broker, subject string, data []byte) {
	t.Helper()
	conn, err := natsgo.Connect(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), subject, data); err != nil {
		t.Fatal(err)
	}
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
