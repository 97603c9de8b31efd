package otlp

import (
	"context"
	"slices"
	"sync"
	"time"
)

// The limits of the queue and of a batch.
const (
	queueBytes = 8 << 20 // of waiting spans; more are dropped
	batchBytes = 1 << 20
	batchSpans = 512
	interval   = time.Second // the longest time that a span waits for others
)

// queue holds the encoded spans that wait to be sent. It is safe for concurrent use.
type queue struct {
	mu      sync.Mutex
	waiting [][]byte
	bytes   int
	dropped int
	closed  bool
	wake    chan struct{} // of size 1: a batch is full, or the queue was closed
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// put adds a span, or drops it when the queue is full. It does not block.
func (q *queue) put(span []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.bytes+len(span) > queueBytes {
		q.dropped++
		return
	}
	q.waiting = append(q.waiting, span)
	q.bytes += len(span)
	if q.enough() {
		q.signal()
	}
}

// drop counts a span that cannot be sent.
func (q *queue) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropped++
}

func (q *queue) enough() bool { return len(q.waiting) >= batchSpans || q.bytes >= batchBytes }

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// close ends the queue: no more spans will come.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

// take waits for the next batch: until enough spans wait, some have waited long enough, or the queue is closed. An
// empty batch means that there will be no more.
func (q *queue) take(ctx context.Context) [][]byte {
	timer := time.NewTimer(interval)
	defer timer.Stop()
	for {
		waited := false
		select {
		case <-q.wake:
		case <-timer.C:
			waited = true
			timer.Reset(interval)
		case <-ctx.Done():
			return nil
		}
		if batch, end := q.cut(waited); end || len(batch) > 0 {
			return batch
		}
	}
}

// cut removes a batch from the queue. end reports that there will be no more.
func (q *queue) cut(waited bool) (batch [][]byte, end bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !waited && !q.closed && !q.enough() {
		return nil, false
	}
	size, n := 0, 0
	for n < len(q.waiting) && n < batchSpans && (n == 0 || size+len(q.waiting[n]) <= batchBytes) {
		size += len(q.waiting[n])
		n++
	}
	batch = slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	q.bytes -= size
	if q.closed || q.enough() {
		q.signal()
	}
	return batch, q.closed && n == 0
}

// left is the number of spans that were dropped or are still in the queue.
func (q *queue) left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped + len(q.waiting)
}
