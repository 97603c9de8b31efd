package nats

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// silent are the messages of a broker that does not answer, while the library waits for that.
type silent struct {
	asked, answered chan struct{}
	stopped         chan struct{}
}

func (s *silent) Next(...jetstream.NextOpt) (jetstream.Msg, error) {
	close(s.asked)
	<-s.answered
	return nil, jetstream.ErrMsgIteratorClosed
}

func (s *silent) Stop()                   { close(s.stopped) }
func (s *silent) Drain()                  {}
func (s *silent) Closed() <-chan struct{} { return s.stopped }

// TestReadingEnds: whoever is told to stop does not wait for a broker that does not answer.
func TestReadingEnds(t *testing.T) {
	t.Parallel()
	s := &silent{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-s.asked
		stop()
	}()
	err := readAll(ctx, s, new(uint64), func(jetstream.Msg, *jetstream.MsgMetadata) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(s.answered)
	<-s.stopped // by then
}
