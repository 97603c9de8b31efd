package nats_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
)

// TestTooFast: what comes faster than it is taken is held up to a limit, and what is lost beyond it is told.
func TestTooFast(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	c := client(t, b)
	told, busy := make(chan string, 100), make(chan struct{})
	l := listen(t, c, func(l *nats.Listener) {
		l.Notify = func(text string) {
			told <- text
			if strings.Contains(text, "is left out") {
				<-busy // by which the listener waits
			}
		}
	})
	<-told // no stream holds it
	conn, err := natsgo.Connect(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	send := func(data []byte) {
		if err := errors.Join(conn.Publish("app.events", data), conn.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for len(told) == 0 { // until the subscription is there
		send([]byte("nonsense"))
		<-tick.C
	}
	large := bytes.Repeat([]byte("x"), 1_000_000)
	for range 100 {
		send(large)
	}
	close(busy)
	for !strings.Contains(<-told, "some are lost") {
	}
	l.end(t)
	if s := l.Summary(); !strings.Contains(s, "lost: they came too fast") {
		t.Error(s)
	}
}
