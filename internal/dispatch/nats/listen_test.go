package nats_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/hang"
)

// keep makes a stream of events.
func keep(t *testing.T, b *natstest.Broker, subject string) {
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
	config := jetstream.StreamConfig{Name: "APP", Subjects: []string{subject}}
	if _, err := js.CreateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
}

func said(session string, index int, role, text string) string {
	return fmt.Sprintf(`{"type":"message.created","session_id":%q,"data":{"index":%d,"role":%q,"content":%q}}`,
		session, index, role, text)
}

// listening is a listener at work.
type listening struct {
	*nats.Listener

	stop  context.CancelFunc
	ended chan error
}

func listen(t *testing.T, c *nats.Client, change ...func(*nats.Listener)) *listening {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l := &listening{&nats.Listener{
		Client: c, Subject: "app.events", Name: "l", Accumulator: dispatch.NewAccumulator(), Now: time.Now,
		Notify: func(string) {},
	}, cancel, make(chan error, 1)}
	for _, f := range change {
		f(l.Listener)
	}
	go func() { l.ended <- l.Run(ctx) }()
	return l
}

func (l *listening) end(t *testing.T) {
	t.Helper()
	l.stop()
	if err := <-l.ended; err != nil {
		t.Fatal(err)
	}
}

// selectAsked are the requests in the stream, as session moment turn, in order; it waits until there are so many.
func selectAsked(t *testing.T, b *natstest.Broker, n int) (list []string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for ; ; <-tick.C {
		list = nil
		for _, msg := range stored(t, b, "ARENA_EVALS") {
			r, err := dispatch.DecodeRequest(msg.Data)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, fmt.Sprintf("%s %s %d", r.Session, r.Moment, r.Turn))
		}
		if len(list) >= n {
			return list
		}
	}
}

func TestListener(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	keep(t, b, "app.>")
	send := func(text string) { raw(t, b, "app.events", []byte(text)) }
	send(said("s", 0, "user", "hi"))
	send("nonsense")
	send(said("s", 1, "assistant", "yo"))
	l := listen(t, c)
	selectAsked(t, b, 1)
	send(said("s", 2, "user", "and?"))
	l.end(t)
	// The next one takes up the session where it was, also after a crash that kept no end.
	send(said("s", 3, "assistant", "so"))
	l = listen(t, c)
	selectAsked(t, b, 2)
	b.Stop()
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	send(`{"type":"session.ended","session_id":"s"}`)
	want := []string{"s turn 0", "s turn 1", "s end 0"}
	same(t, want, selectAsked(t, b, 3))
	l.end(t)
	// What has ended is not taken up again, and several listeners ask once.
	l = listen(t, c)
	other := listen(t, c, func(l *nats.Listener) { l.Name = "other" })
	send(said("t", 0, "user", "hi"))
	send(said("t", 1, "assistant", "yo"))
	selectAsked(t, b, 4)
	send(`{"type":"session.ended","session_id":"t"}`)
	same(t, append(want, "t turn 0", "t end 0"), selectAsked(t, b, 5))
	l.end(t)
	other.end(t)
	same(t, append(want, "t turn 0", "t end 0"), selectAsked(t, b, 5))
	same(t, 0, len(stored(t, b, "ARENA_EVALS_DEAD")))
}

// TestSilence: a session that nobody ends is over when it has been silent.
func TestSilence(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	keep(t, b, "app.>")
	raw(t, b, "app.events", []byte(said("gap", 1, "assistant", "yo")))
	raw(t, b, "app.events", []byte(said("s", 0, "user", "hi")))
	raw(t, b, "app.events", []byte(said("s", 1, "assistant", "yo")))
	var later atomic.Bool
	l := listen(t, c, func(l *nats.Listener) {
		l.Accumulator.TTL = hang.Guard
		l.Now = func() time.Time {
			if later.Load() {
				return time.Now().Add(2 * hang.Guard)
			}
			return time.Now()
		}
	})
	selectAsked(t, b, 1)
	later.Store(true)
	same(t, []string{"s turn 0", "s end 0"}, selectAsked(t, b, 2))
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(letters(t, b)) == 0 {
		<-tick.C
	}
	l.end(t)
	same(t, []string{": incomplete: message 0 of the session did not arrive, but 1 after it did"}, letters(t, b))
}

// TestPassing: what no stream holds is listened to while it is sent, and ends with the listener.
func TestPassing(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	told := make(chan string, 10)
	l := listen(t, c, func(l *nats.Listener) { l.Notify = func(s string) { told <- s } })
	same(t, "app.events: no stream holds this subject: what is sent while no listener runs is lost", <-told)
	conn, err := natsgo.Connect(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for len(stored(t, b, "ARENA_EVALS")) == 0 { // until the subscription is there; copies are told apart
		for _, text := range []string{said("s", 0, "user", "hi"), said("s", 1, "assistant", "yo")} {
			if err := conn.Publish("app.events", []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		<-tick.C
	}
	l.end(t)
	same(t, []string{"s turn 0", "s end 0"}, selectAsked(t, b, 2))
}

func TestWrongSubjects(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "a..b", "a b", "a.>.b", "a*", "$JS.API", "."} {
		if nats.CheckSubject(bad) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	for _, good := range []string{"a", "a.*.b", "a.>"} {
		if err := nats.CheckSubject(good); err != nil {
			t.Error(err)
		}
	}
	b := natstest.New(t)
	c := client(t, b)
	l := listen(t, c, func(l *nats.Listener) { l.Subject = "arena.evals.requests" })
	if err := <-l.ended; err == nil || !strings.Contains(err.Error(), "holds requests and results, not events") {
		t.Error(err)
	}
	l.stop()
}
