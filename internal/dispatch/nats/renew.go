package nats

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/fleet"
)

// heldStreams distinguishes the streams of a client from later ones with the same name.
type heldStreams struct {
	mu    sync.Mutex
	since map[string]time.Time // when each was made
	anew  chan struct{}        // closed when one of them was created again
}

// made notes when a stream was made, and reports whether it takes the place of another one.
func (h *heldStreams) made(stream string, at time.Time) (another bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since == nil {
		h.since, h.anew = map[string]time.Time{}, make(chan struct{})
	}
	was, known := h.since[stream]
	h.since[stream] = at
	return known && !was.Equal(at)
}

// renewed notifies the readers of the streams that they were created again.
func (h *heldStreams) renewed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.anew)
	h.anew = make(chan struct{})
}

// of is when a stream was made, and what is closed once one of them is another.
func (h *heldStreams) of(stream string) (time.Time, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since[stream], h.anew
}

// Renew creates missing streams, and refuses existing ones that could lose messages. lost: a stream was replaced, so
// that its messages are lost, as when a broker comes back without its disk.
func (t *Trials) Renew(ctx context.Context) (lost bool, err error) {
	for _, n := range t.trialSpecs() {
		err := t.retry(ctx, func(ctx context.Context) error {
			s, err := t.settled(ctx, n.name)
			if err == nil && n.mismatch(&s.CachedInfo().Config) == "" {
				lost = t.held.made(n.name, s.CachedInfo().Created) || lost
				return nil
			}
			if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
				return err
			}
			if err := t.ensure(ctx, n); err != nil {
				return err
			}
			return errMade // and looked at again
		})
		if err != nil {
			return lost, err
		}
	}
	if lost {
		t.held.renewed()
	}
	return lost, nil
}

// errMade has a stream looked at that was made just now.
var errMade = errors.New("the stream was made just now")

// settled is a stream. A broker that has just started may not know it yet.
func (t *Trials) settled(ctx context.Context, name string) (jetstream.Stream, error) {
	s, err := t.js.Stream(ctx, name)
	known, _ := t.held.of(name)
	for try := 0; errors.Is(err, jetstream.ErrStreamNotFound) && !known.IsZero() && try < 3; try++ {
		t.pause(ctx, delay(3)) //nolint:mnd // less than a second
		s, err = t.js.Stream(ctx, name)
	}
	return s, err
}

// Watch looks at every heartbeat, and whenever the connection is there again, whether the broker still holds what it
// held, and calls lost when it does not, until ctx ends. It ends with an error that no waiting helps against.
func (t *Trials) Watch(ctx context.Context, lost func()) error {
	tick := time.NewTicker(fleet.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-t.back:
		}
		gone, err := t.Renew(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if gone {
			lost()
		}
	}
}

// follow is Client.follow from the first message on. A stream that takes the place of one that was lost is read from
// its own first message.
func (t *Trials) follow(ctx context.Context, stream, subject string, take func(jetstream.Msg) error) error {
	for from, since := uint64(1), (time.Time{}); ctx.Err() == nil; {
		now, anew := t.held.of(stream)
		if !now.Equal(since) {
			from, since = 1, now
		}
		once, cancel := context.WithCancel(ctx)
		go func() {
			select {
			case <-anew:
				cancel()
			case <-once.Done():
			}
		}()
		err := t.Client.follow(once, stream, subject, from, func(m jetstream.Msg, meta *jetstream.MsgMetadata) error {
			if once.Err() != nil {
				return nil
			}
			from = meta.Sequence.Stream + 1
			return take(m)
		})
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}
