package nats

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch"
)

// Slots limit how many calls of a provider run at once, over all workers of a run. The broker holds their queue: a
// worker is in it once for each slot that it has or waits for, and the first entries have the slots. A worker that was
// killed keeps its slots for slotHeld.
type Slots struct {
	of    *Limits
	name  string // token of the provider
	most  int
	me    string // token of this worker in the queue
	clock *brokerClock
	news  chan struct{} // receives a value when the queue, or the demand for it, may have changed

	mu       sync.Mutex
	waiting  []chan error // callers that have no slot yet
	running  int          // calls with a slot
	freed    int          // slots that were returned and are still in the queue
	keeping  bool         // a goroutine maintains the queue
	reported time.Time    // when this worker last renewed its entries
}

const (
	// slotHeld is after which silence of a worker its slots are free, in the time of the broker.
	slotHeld = 30 * time.Second
	// slotLook is how often a waiting worker reads the queue when it gets no notification.
	slotLook = time.Second
)

func (n *Names) slotsOf(run string) string { return n.prefix + ".slots." + run }

// Slots returns the slots of a provider; most is their number.
func (l *Limits) Slots(provider string, most int) *Slots {
	name := dispatch.Token(provider)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slots[name] == nil {
		l.slots[name] = &Slots{
			of: l, name: name, most: most, me: dispatch.Token(l.trials.opts.Name, natsgo.NewInbox()), clock: &brokerClock{},
			news: make(chan struct{}, 1),
		}
	}
	return l.slots[name]
}

// freed handles the notification that slots of a provider were returned.
func (l *Limits) freed(name string) {
	l.mu.Lock()
	s := l.slots[name]
	l.mu.Unlock()
	if s != nil {
		s.look()
	}
}

func (s *Slots) look() {
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// Take waits for a slot. free gives it back; it is to be called once.
func (s *Slots) Take(ctx context.Context) (free func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	mine := make(chan error, 1)
	s.mu.Lock()
	s.waiting = append(s.waiting, mine)
	if !s.keeping {
		s.keeping = true
		s.of.keeping.Go(func() { s.keep(s.of.ctx) })
	}
	s.mu.Unlock()
	s.look()
	select {
	case err := <-mine:
		if err != nil {
			return nil, err
		}
		return s.free, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	at := slices.Index(s.waiting, mine)
	if at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
	}
	s.mu.Unlock()
	if at < 0 && <-mine == nil { // it has come just now
		s.free()
	}
	s.look()
	return nil, context.Cause(ctx)
}

func (s *Slots) free() {
	s.mu.Lock()
	s.running--
	s.freed++
	s.mu.Unlock()
	s.look()
}

// keep renews this worker's entries in the queue, until it has no slot and wants none.
func (s *Slots) keep(ctx context.Context) {
	for {
		err := s.settle(ctx)
		s.mu.Lock()
		if err != nil {
			for _, waits := range s.waiting {
				waits <- err
			}
			s.waiting = nil
		}
		if len(s.waiting) == 0 && s.running == 0 && (s.freed == 0 || err != nil) || ctx.Err() != nil {
			s.keeping, s.freed = false, 0 // entries that are left expire
			s.mu.Unlock()
			return
		}
		next := slotHeld / 3 //nolint:mnd // a message may get lost
		if len(s.waiting) > 0 {
			next = slotLook
		}
		s.mu.Unlock()
		timer := time.NewTimer(next)
		select {
		case <-s.news:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// settle writes into the queue what is wanted here, and hands out what slots there are.
func (s *Slots) settle(ctx context.Context) error {
	trials, subject := s.of.trials, s.of.trials.limit(s.of.run, "slots-"+s.name)
	for {
		now, err := s.clock.now(ctx, s.of)
		if err != nil {
			return err
		}
		last, err := trials.lastOn(ctx, trials.limits(), subject)
		if err != nil {
			return err
		}
		was, seq := slotQueue{}, uint64(0)
		if last != nil {
			seq = last.Sequence
			_ = json.Unmarshal(last.Data, &was) // unreadable data counts as an empty queue
		}
		s.mu.Lock()
		want := slotsWanted{running: s.running, freed: s.freed, waiting: len(s.waiting)}
		away := !s.reported.IsZero() && time.Since(s.reported) > slotHeld/2 // so may be others, with the broker
		s.mu.Unlock()
		next, granted := was.settle(s.me, want, s.most, now, !away)
		if !next.same(&was) || now.After(was.Until[s.me].Add(-slotHeld*2/3)) && next.has(s.me) {
			data, err := json.Marshal(next)
			if err != nil {
				return err
			}
			beaten, err := trials.storeRaw(ctx, &natsgo.Msg{Subject: subject, Data: data},
				jetstream.WithExpectStream(trials.limits()), jetstream.WithExpectLastSequencePerSubject(seq))
			if err != nil {
				return err
			}
			if beaten {
				continue
			}
			if len(next.Queue) < len(was.Queue) || want.freed > 0 {
				_ = trials.conn.Publish(trials.slotsOf(s.of.run), []byte(s.name)) // workers that miss it look by themselves
			}
		}
		s.hand(granted, want.freed)
		return nil
	}
}

// hand gives slots to callers that wait, and notes that others are out of the queue.
func (s *Slots) hand(granted, out int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reported = time.Now()
	s.freed -= out
	n := min(granted, len(s.waiting)) // callers may have left
	for _, waits := range s.waiting[:n] {
		s.running++
		waits <- nil
	}
	s.waiting = slices.Delete(s.waiting, 0, n)
	if n < granted {
		s.look()
	}
}

// slotQueue is the queue for the slots of a provider, as the broker stores it.
type slotQueue struct {
	// Queue has a worker once for each slot that it has or waits for. The first of them are those with one.
	Queue []string `json:"queue"`
	// Until is when the entries of each worker expire, unless it renews them.
	Until map[string]time.Time `json:"until"`
}

// slotsWanted is the demand of a worker for slots of a queue.
type slotsWanted struct {
	running int // slots that it has
	freed   int // slots to return
	waiting int // additional slots wanted
}

// mostQueued is how many callers of a worker wait in a queue; others come into it when these have a slot.
const mostQueued = 64

// settle is the queue as a worker wants it, and how many slots it gets now. Only with drop workers are let go that were
// silent for too long.
func (q *slotQueue) settle(
	me string, want slotsWanted, most int, now time.Time, drop bool,
) (next slotQueue, granted int) {
	queue := slices.DeleteFunc(slices.Clone(q.Queue), func(who string) bool {
		until, known := q.Until[who]
		return who != me && (!known || drop && (until.Before(now) || until.After(now.Add(2*slotHeld))))
	})
	for range want.freed {
		if at := slices.Index(queue, me); at >= 0 {
			queue = slices.Delete(queue, at, at+1)
		}
	}
	mine := occurrences(queue, me)
	if lost := want.running - mine; lost > 0 { // as when the broker lost its data
		queue = append(slices.Repeat([]string{me}, lost), queue...)
		mine = want.running
	}
	wanted := want.running + min(want.waiting, mostQueued)
	for ; mine < wanted; mine++ {
		queue = append(queue, me)
	}
	for at := len(queue) - 1; mine > wanted; at-- {
		if queue[at] == me {
			queue = slices.Delete(queue, at, at+1)
			mine--
		}
	}
	next = slotQueue{Queue: queue, Until: map[string]time.Time{}}
	for _, who := range queue {
		next.Until[who] = q.Until[who]
	}
	if mine > 0 {
		next.Until[me] = now.Add(slotHeld)
	}
	first := occurrences(queue[:min(most, len(queue))], me)
	return next, max(first-want.running, 0)
}

func occurrences(queue []string, me string) (n int) {
	for _, who := range queue {
		if who == me {
			n++
		}
	}
	return n
}

func (q *slotQueue) has(me string) bool { return slices.Contains(q.Queue, me) }

// same reports whether two queues are equal except for their expiry times.
func (q *slotQueue) same(r *slotQueue) bool {
	return slices.Equal(q.Queue, r.Queue) &&
		slices.Equal(slices.Sorted(maps.Keys(q.Until)), slices.Sorted(maps.Keys(r.Until)))
}
