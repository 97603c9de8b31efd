package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/result"
)

// FlushLimit is how long the end of a run waits until the last spans are delivered, unless the timeout of a request is
// longer.
const FlushLimit = 5 * time.Second

// maxFailures is the number of failed batches in a row after which no more are sent.
const maxFailures = 3

// Exporter sends the trace of one run. Handle and Close belong to one goroutine. Another goroutine sends: only Close
// waits for the collector, for a limited time.
type Exporter struct {
	config  *Config
	version string // of arena
	client  *http.Client
	trace   *trace
	queue   *queue
	start   []byte // of every request body, before its spans
	limit   time.Duration

	cancel context.CancelFunc
	done   chan struct{} // closed when the sender has ended

	delivery Delivery // of the sender; read it after done is closed
	failures int      // in a row
}

// Delivery counts the spans of a run that were sent or lost.
type Delivery struct {
	Sent int
	Lost int   // never sent, or refused
	Err  error // why the latest spans were lost; nil when the queue was full
}

// New starts an exporter with the given trace id. It runs until Close, so that the trace of an interrupted run is sent
// as well.
func New(ctx context.Context, c *Config, version string, id [16]byte) *Exporter {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	x := &Exporter{
		config: c, version: version, queue: newQueue(), start: bodyStart(c, version), limit: c.Flush, cancel: cancel,
		done: make(chan struct{}),
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 1}
	x.client = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // keeps headers here
	}
	x.trace = &trace{id: fmt.Sprintf("%x", id), content: c.Content, emit: x.emit, trials: map[string]*trial{}}
	go func() {
		defer close(x.done)
		defer transport.CloseIdleConnections()
		x.run(ctx)
	}()
	return x
}

// bodyStart returns a request body up to its first span.
func bodyStart(c *Config, version string) []byte {
	list := text(nil, "service.name", c.Service)
	list = text(list, "service.version", version)
	for _, key := range slices.Sorted(maps.Keys(c.Resource)) {
		if key != "service.version" {
			list = text(list, key, c.Resource[key])
		}
	}
	head, err := json.Marshal(resourceSpans{
		Resource: resource{list}, ScopeSpans: []scopeSpans{{scope{"github.com/arena-evals/arena", version}}},
	})
	if err != nil {
		return nil // cannot happen: the value holds only texts
	}
	head = bytes.TrimSuffix(head, []byte("}]}"))
	return fmt.Appendf(nil, `{"resourceSpans":[%s,"spans":[`, head)
}

const bodyEnd = "]}]}]}"

// Handle takes an event of the run.
func (x *Exporter) Handle(e result.Event) { x.trace.Handle(e) }

func (x *Exporter) emit(s *span) {
	data, err := json.Marshal(s)
	if err != nil { // cannot happen: the value holds only numbers and texts
		x.queue.drop()
		return
	}
	x.queue.put(data)
}

// Close sends the remaining spans within the Flush time of the configuration, and returns the counts.
func (x *Exporter) Close() Delivery {
	x.queue.close()
	timer := time.NewTimer(x.limit)
	defer timer.Stop()
	select {
	case <-x.done:
	case <-timer.C:
	}
	x.cancel()
	<-x.done
	d := x.delivery
	d.Lost += x.queue.left()
	return d
}

// run is the sender.
func (x *Exporter) run(ctx context.Context) {
	for {
		batch := x.queue.take(ctx)
		if len(batch) == 0 {
			return
		}
		x.deliver(ctx, batch)
	}
}

func (x *Exporter) deliver(ctx context.Context, batch [][]byte) {
	if x.failures >= maxFailures {
		x.delivery.Lost += len(batch)
		return
	}
	body := slices.Concat(x.start, bytes.Join(batch, []byte(",")), []byte(bodyEnd))
	if x.config.Scrub != nil {
		body = x.config.Scrub(body)
	}
	if x.config.Gzip {
		packed, err := compress(body)
		if err != nil {
			x.lost(len(batch), err)
			return
		}
		body = packed
	}
	rejected, err := x.send(ctx, body)
	switch {
	case err == nil:
		x.failures = 0
		x.delivery.Sent += len(batch)
	case rejected > 0:
		x.failures = 0
		rejected = min(rejected, len(batch))
		x.delivery.Sent += len(batch) - rejected
		x.lost(rejected, err)
	default:
		x.failures++
		x.lost(len(batch), err)
	}
}

func (x *Exporter) lost(n int, err error) {
	x.delivery.Lost += n
	x.delivery.Err = err
}
