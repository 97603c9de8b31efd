// Package traced wraps the provider of a program: it collects the program's traces, and adds the tool calls, model
// calls, usage and cost in them to its replies.
package traced

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/spans/receiver"
)

// Provider adds the traces of a program to its replies. It receives them from its first trial until Close. It is safe
// for concurrent use.
type Provider struct {
	next  providers.Provider
	spec  *scenario.Provider
	taken map[string]bool // variables that the file sets
	stays bool            // the program goes on after a reply
	waits waits
	now   func() time.Time

	mu      sync.Mutex
	server  *receiver.Server // nil: nobody listens
	folders folders
	trials  int  // that are under way
	sent    bool // some trial has sent spans over the network
	waited  bool // some turn has waited for them, and none came
	strays  strays
}

// New wraps the provider of a program, or of an endpoint, which goes on too. Nothing is opened before the first call.
func New(next providers.Provider, spec *scenario.Provider) *Provider {
	return &Provider{
		next: next, spec: spec, taken: setBy(spec), waits: usual,
		stays: spec.Program == nil || spec.Program.Lines,
		now:   time.Now,
	}
}

// Unwrap is the provider of the program.
func (p *Provider) Unwrap() providers.Provider { return p.next }

// strays counts requests and spans that belong to no trial.
type strays struct {
	refused, late int
	of            []string // trials that the late ones name
}

// open starts receiving traces for a trial: over the network, and in a folder.
func (p *Provider) open(ctx context.Context, trial string) (in *receiver.Inbox, dir string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if dir, err = p.folders.get(); err != nil {
		return nil, "", fmt.Errorf("no folder for its traces: %w", err)
	}
	if p.server == nil {
		server, err := receiver.Listen(ctx)
		if err != nil {
			return nil, "", errors.Join(err, os.Remove(dir))
		}
		p.server = server
	}
	p.trials++
	return p.server.Open(trial), dir, nil
}

// patience returns how long to wait for the first spans of a turn.
func (p *Provider) patience() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.sent:
		return p.waits.known
	case p.waited:
		return p.waits.silent
	}
	return p.waits.unknown
}

// noteSpans notes whether a turn has sent spans over the network.
func (p *Provider) noteSpans(some bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent, p.waited = p.sent || some, p.waited || !some
}

// close stops receiving traces for a trial.
func (p *Provider) close(in *receiver.Inbox, dir string) error {
	in.Close()
	empty, err := tidy(dir)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.trials--; empty {
		p.folders.empty = append(p.folders.empty, dir)
	}
	return err
}

// Close stops the server, unless a trial is running. The next trial starts it again.
func (p *Provider) Close() error {
	p.mu.Lock()
	var failed error
	if p.server != nil && p.trials == 0 {
		counts := p.server.Counts()
		p.strays.refused += counts.Refused
		p.strays.late += counts.Late
		p.strays.of = append(p.strays.of, counts.LateOf...)
		failed = errors.Join(p.server.Close(), p.folders.remove())
		p.server = nil
	}
	p.mu.Unlock()
	return errors.Join(failed, providers.Close(p.next))
}

// Strays describes the spans up to Close that belong to no trial, each once.
func (p *Provider) Strays() (notices []string) {
	p.mu.Lock()
	s := p.strays
	p.strays = strays{}
	p.mu.Unlock()
	if s.refused > 0 {
		headers := "OTEL_EXPORTER_OTLP_HEADERS"
		if p.spec.Program == nil {
			headers = "{{" + scenario.OTLPHeaders + "}}"
		}
		notices = append(notices, fmt.Sprintf("provider %s: %s with traces had no secret or no trial and did not "+
			"count: who sends "+
			"traces must send the headers of %s", p.spec.ID, plural.Count(s.refused, "request"), headers))
	}
	if s.late > 0 {
		notices = append(notices, fmt.Sprintf("provider %s: %s came for trials that had ended (%s), and did not "+
			"count: what a "+
			"program starts has to send its traces before the program ends", p.spec.ID, plural.Count(s.late, "span"),
			strings.Join(s.of, ", ")))
	}
	return notices
}

// Complete implements providers.Provider. Tool calls that the program made itself are returned, with their results, in
// replies without text before its own reply, as for a model.
func (p *Provider) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	trial := providers.TrialOf(ctx)
	if trial == nil {
		return p.next.Complete(ctx, req, onDelta)
	}
	key := workKey{p, req.Origin.Step, req.Origin.Persona}
	part, ok := trial.Keep(key, func() providers.TrialPart { return p.begin(ctx, trial, key) })
	w, is := part.(*work)
	switch {
	case !ok || !is:
		return p.next.Complete(ctx, req, onDelta)
	case w.failed != nil:
		return chat.Reply{}, p.error(w.failed)
	}
	if reply, waiting := w.nextReply(req); waiting {
		return p.deliver(req, reply, onDelta)
	}
	ctx = providers.WithVariables(ctx, w.env)
	w.read = false
	if p.stays {
		return p.converse(ctx, w, req, onDelta)
	}
	called := *req
	called.Stream = false // what it says comes behind what it did
	reply, err := p.next.Complete(ctx, &called, nil)
	if err != nil {
		w.addPartial(err)
		return reply, err
	}
	replies, err := w.collect(ctx, reply)
	if err != nil {
		return chat.Reply{}, p.error(err)
	}
	w.waiting = replies[1:]
	return p.deliver(req, replies[0], onDelta)
}

// converse gets the reply of a program that keeps running. The reply is streamed, so that a guardrail can end it. If
// the traces then show further tool calls, these come as replies, and the text is returned again after them.
func (p *Provider) converse(
	ctx context.Context, w *work, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	closed := false
	next := onDelta
	if onDelta != nil {
		next = func(d chat.Delta) error {
			err := onDelta(d)
			closed = closed || errors.Is(err, providers.ErrEnough)
			return err
		}
	}
	if req.Origin.Reply == 0 {
		w.turn = turn{arrivals: w.inbox.Arrivals()}
	}
	reply, err := p.next.Complete(ctx, req, next)
	if err != nil {
		w.addPartial(err)
		return reply, err
	}
	if len(reply.ToolCalls) > 0 {
		return w.turn.goesOn(reply, providers.PriceFor(p.spec)), nil
	}
	replies, err := w.collect(ctx, reply)
	if err != nil {
		return chat.Reply{}, p.error(err)
	}
	if closed { // the turn ends here
		return together(replies), nil
	}
	w.waiting = replies[1:]
	return replies[0], nil
}

// deliver passes a complete reply to a caller that wants a stream.
func (p *Provider) deliver(req *chat.Request, r chat.Reply, onDelta func(chat.Delta) error) (chat.Reply, error) {
	if !req.Stream || onDelta == nil || r.Content == "" {
		return r, nil
	}
	if err := onDelta(chat.Delta{Text: r.Content}); err != nil && !errors.Is(err, providers.ErrEnough) {
		return chat.Reply{}, err
	}
	return r, nil
}

// error returns the error of a call whose traces were lost. The call is not repeated, because the program has acted.
func (p *Provider) error(err error) error {
	return &providers.Error{
		Kind: providers.BadReply, Provider: p.spec.ID, Final: true, Err: err,
		Msg: fmt.Sprintf("%v (--no-traces does without)", err),
	}
}

// waits are the times to wait for spans, and the intervals at which programs send them.
type waits struct {
	send  time.Duration // a program of protocol once sends what has ended every so often
	drain time.Duration // for what is on its way through this machine when a program has ended

	// For a program that keeps running after its reply:
	sendLines time.Duration
	quiet     time.Duration // without a span, when the first ones of a turn have come
	// Limits of the wait for the first span of a turn: for a program that has sent some before, for one that may send
	// some, and for one that seems to send none.
	known, unknown, silent time.Duration
}

// usual are several times what a program needs that sends its spans at the configured interval. The first spans may
// take long on a busy machine.
var usual = waits{
	send: 200 * time.Millisecond, drain: 2 * time.Second, sendLines: 50 * time.Millisecond,
	quiet: 300 * time.Millisecond, known: 2 * time.Second, unknown: time.Second, silent: 250 * time.Millisecond,
}
