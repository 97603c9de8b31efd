package nats_test

import (
	"strings"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/hang"
)

// manage is JetStream as whoever runs the broker uses it.
func manage(t *testing.T, b *natstest.Broker) jetstream.JetStream {
	t.Helper()
	conn, err := natsgo.Connect(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// TestFull: a stream that takes no more is waited for, and then told of.
func TestFull(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	_, err := manage(t, b).CreateStream(t.Context(), jetstream.StreamConfig{
		Name: "ARENA_EVALS", Subjects: []string{"arena.evals.requests"}, MaxMsgs: 1, Discard: jetstream.DiscardNew,
		Retention: jetstream.WorkQueuePolicy,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, nats.Options{URL: b.URL(), Patience: time.Second /* is meant to pass */})
	if err := c.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	publish(t, c, request("a"))
	if err := c.Publish(t.Context(), request("b")); err == nil || !strings.Contains(err.Error(), "a stream is full") {
		t.Error(err)
	}
}

// TestBucketOfOthers: the bucket of listeners is not changed, and not made with NoCreate.
func TestBucketOfOthers(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	client(t, b)
	keep(t, b, "app.>")
	c := connect(t, nats.Options{URL: b.URL(), Patience: hang.Guard, NoCreate: true})
	l := listen(t, c)
	if err := <-l.ended; err == nil || !strings.Contains(err.Error(), "there is no key-value bucket ARENA_EVALS_LISTEN") ||
		strings.Count(err.Error(), b.Address()) != 1 {
		t.Error(err)
	}
	l.stop()
	js := manage(t, b)
	config := jetstream.KeyValueConfig{Bucket: "ARENA_EVALS_LISTEN", Description: "mine", History: 7}
	if _, err := js.CreateKeyValue(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	l = listen(t, c)
	raw(t, b, "app.events", []byte(said("s", 0, "user", "hi")))
	raw(t, b, "app.events", []byte(said("s", 1, "assistant", "yo")))
	selectAsked(t, b, 1)
	l.end(t)
	stream, err := js.Stream(t.Context(), "KV_ARENA_EVALS_LISTEN")
	if err != nil {
		t.Fatal(err)
	}
	if have := stream.CachedInfo().Config; have.Description != "mine" || have.MaxMsgsPerSubject != 7 {
		t.Errorf("%+v", have)
	}
}

// TestStoppedAtTheEnd: the end of a session that could not be stored before the listener stopped is made by the next.
func TestStoppedAtTheEnd(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	js := manage(t, b)
	config := jetstream.StreamConfig{
		Name: "ARENA_EVALS", Subjects: []string{"arena.evals.requests"}, MaxMsgs: 1, Discard: jetstream.DiscardNew,
		Retention: jetstream.WorkQueuePolicy,
	}
	if _, err := js.CreateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 10)
	c := connect(t, nats.Options{URL: b.URL(), Notify: func(text string) { told <- text }})
	if err := c.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	keep(t, b, "app.>")
	l := listen(t, c)
	raw(t, b, "app.events", []byte(said("s", 0, "user", "hi")))
	raw(t, b, "app.events", []byte(said("s", 1, "assistant", "yo")))
	selectAsked(t, b, 1)
	raw(t, b, "app.events", []byte(`{"type":"session.ended","session_id":"s"}`))
	for !strings.Contains(<-told, "a stream is full") {
	}
	l.end(t)
	config.MaxMsgs = -1
	if _, err := js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	l = listen(t, c)
	same(t, []string{"s turn 0", "s end 0"}, selectAsked(t, b, 2))
	l.end(t)
}
