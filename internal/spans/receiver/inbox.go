package receiver

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/spans"
)

// Inbox keeps the spans for a trial.
type Inbox struct {
	s     *Server
	trial string

	// The rest is guarded by the lock of the server.
	kept     []byte // spans, see appendSpan
	lost     Lost
	requests int // that are being read
	arrivals int // beginnings and ends of requests
}

// Lost counts spans for a trial that were not kept.
type Lost struct {
	Full   int   // spans beyond the limit of a trial, or of all trials
	Broken int   // spans and requests that could not be read
	First  error // the first of them
}

// Err describes the lost spans; nil: none.
func (l Lost) Err() error {
	var all []string
	if l.Full > 0 {
		all = append(all, fmt.Sprintf("%s did not fit into the %d MiB that are kept for a trial",
			plural.Count(l.Full, "span"), mostOfTrial>>20))
	}
	if l.Broken > 0 {
		all = append(all, fmt.Sprintf("%s could not be read (%v)",
			plural.Of(l.Broken, "span or request", "spans or requests"), l.First))
	}
	if all == nil {
		return nil
	}
	return fmt.Errorf("traces of the program are lost, and what it did is not known: %s", strings.Join(all, "; "))
}

// Open begins to take spans for a trial. Where one with the same id is open, the later one is told apart by its number.
func (s *Server) Open(trial string) *Inbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := trial
	for n := 2; s.inboxes[name] != nil; n++ {
		name = fmt.Sprintf("%s (%d)", trial, n)
	}
	in := &Inbox{s: s, trial: name}
	s.inboxes[name] = in
	return in
}

// Env are the environment variables with which programs send their spans here, as NAME=value, in OpenTelemetry's names.
// delay is the interval at which they send ended spans.
func (in *Inbox) Env(delay time.Duration) []string {
	trial := url.PathEscape(in.trial)
	return []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + in.s.url,
		"OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
		"OTEL_EXPORTER_OTLP_HEADERS=" + TrialHeader + "=" + headerValue(trial) + "," + SecretHeader + "=" + in.s.secret,
		"OTEL_RESOURCE_ATTRIBUTES=" + spans.TrialAttribute + "=" + headerValue(in.trial),
		"OTEL_BSP_SCHEDULE_DELAY=" + strconv.FormatInt(delay.Milliseconds(), 10), // five seconds else
	}
}

// headerValue escapes what may not stand in a list of W3C baggage, where programs unescape it.
func headerValue(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// Take returns the spans that came since the last call, in order.
func (in *Inbox) Take() ([]spans.Span, Lost) {
	in.s.mu.Lock()
	kept, lost := in.kept, in.lost
	in.s.kept -= len(kept)
	in.kept, in.lost = nil, Lost{}
	in.s.mu.Unlock()
	return readSpans(kept), lost
}

// Arrivals is the number of requests for the trial so far.
func (in *Inbox) Arrivals() int {
	in.s.mu.Lock()
	defer in.s.mu.Unlock()
	return in.arrivals
}

// Arrival waits until there are more than since arrivals, for at most most, or until ctx is done.
func (in *Inbox) Arrival(ctx context.Context, since int, most time.Duration) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	passed := in.s.after(most)
	go func() {
		select {
		case <-passed:
			cancel()
		case <-limited.Done():
		}
	}()
	in.wait(limited, func() bool { return in.arrivals > since })
}

// Close ends the reception of spans: later ones count as late.
func (in *Inbox) Close() {
	in.s.mu.Lock()
	defer in.s.mu.Unlock()
	in.s.kept -= len(in.kept)
	in.kept = nil
	delete(in.s.inboxes, in.trial)
}

// Drain waits until all has been read that programs of the trial sent before they ended. What they left behind is on
// its way through this machine, so that it does not take long; it ends with ctx.
func (in *Inbox) Drain(ctx context.Context) {
	if in.s.silent() {
		return // most programs send nothing
	}
	// Connections are accepted in their order: when ours has been, those from before it have been, too.
	c, err := (&net.Dialer{KeepAlive: -1}).DialContext(ctx, "tcp", in.s.ln.Addr().String())
	if err != nil {
		return
	}
	defer func() { _ = c.Close() }()
	ours := c.LocalAddr().String()
	in.s.probe(ours, true)
	defer in.s.probe(ours, false)
	accepted := false
	in.wait(ctx, func() bool {
		open := in.requests
		for remote, known := range in.s.conns {
			from := remote.RemoteAddr().String()
			accepted = accepted || from == ours
			if !in.s.probes[from] && (known.fresh || known.trial == in.trial) {
				open++
			}
		}
		return accepted && open == 0
	})
}

// probe notes whether the connection of an address is a probe, on which nothing is sent.
func (s *Server) probe(address string, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if is {
		s.probes[address] = true
	} else {
		delete(s.probes, address)
	}
	s.happened()
}

// Silence waits until nothing has come for so long, until ended is closed, or until ctx is done.
func (in *Inbox) Silence(ctx context.Context, quiet time.Duration, ended <-chan struct{}) {
	state := func() (arrivals int, busy bool, changed <-chan struct{}) {
		in.s.mu.Lock()
		defer in.s.mu.Unlock()
		return in.arrivals, in.requests > 0, in.s.changed
	}
	seen, _, _ := state()
	passed := in.s.after(quiet)
	for {
		arrivals, _, changed := state()
		if arrivals != seen {
			seen, passed = arrivals, in.s.after(quiet)
		}
		select {
		case <-ended:
			return
		case <-ctx.Done():
			return
		case <-changed:
		case <-passed:
			arrivals, busy, _ := state()
			if arrivals == seen && !busy {
				return
			}
			seen, passed = arrivals, in.s.after(quiet)
		}
	}
}

// wait waits until holds, which is called under the lock, returns true.
func (in *Inbox) wait(ctx context.Context, holds func() bool) {
	for {
		in.s.mu.Lock()
		done, changed := holds(), in.s.changed
		in.s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
