package nats_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/dispatch/natstest"
	"github.com/arena-evals/arena/internal/hang"
)

// TestAwaitBroker: who waits in vain is told of a broker that died, and sent to the workers only when it is there.
func TestAwaitBroker(t *testing.T) {
	t.Parallel()
	b := natstest.New(t)
	lost := make(chan string, 8)
	c := connect(t, nats.Options{URL: b.URL(), Patience: hang.Guard, Notify: func(text string) { lost <- text }})
	if err := c.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	inbox := nats.NewInbox("run")
	ctx, cancel := context.WithCancel(t.Context())
	collected := make(chan struct{})
	go func() { inbox.Collect(ctx, c); close(collected) }()
	defer func() { cancel(); <-collected }()

	wait := func(want string) {
		t.Helper()
		inbox.Expect("r")
		list, err := inbox.Await(t.Context(), "r", time.Millisecond) // meant to pass: nobody answers
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v; want %q", list, err, want)
		}
	}
	wait("is a worker running?")
	b.Stop()
	<-lost
	wait("the connection to the broker at " + c.Address() + " is lost")
}
