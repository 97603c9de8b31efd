// Package traced wraps the provider of a program: it takes the traces in which the program tells what it did, and adds
// to its reply the tools that it called, the models that it asked, and what that took.
package traced

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/spans/receiver"
)

const (
	quiet = 2 * time.Second // without a span after a reply, of a program that goes on: no more will come
	drain = 2 * time.Second // for what is on its way through this machine
)

// Provider adds the traces of a program to its replies. It listens for them while trials go on that have asked it. It
// is safe for concurrent use.
type Provider struct {
	next  providers.Provider
	spec  *scenario.Provider
	taken map[string]bool // variables that the file sets
	stays bool            // the program goes on after a reply

	mu     sync.Mutex
	server *receiver.Server // nil while there are no trials
	trials int
}

// New wraps the provider of a program. Nothing is opened before the first call.
func New(next providers.Provider, spec *scenario.Provider) *Provider {
	return &Provider{next: next, spec: spec, taken: setBy(spec), stays: spec.Program != nil && spec.Program.Lines}
}

// Unwrap is the provider of the program.
func (p *Provider) Unwrap() providers.Provider { return p.next }

// open begins to listen for a trial.
func (p *Provider) open(ctx context.Context, trial string) (*receiver.Server, *receiver.Inbox, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		server, err := receiver.Listen(ctx)
		if err != nil {
			return nil, nil, err
		}
		p.server = server
	}
	p.trials++
	return p.server, p.server.Open(trial), nil
}

// close ends the listening for a trial. It returns what came that belonged to none, once.
func (p *Provider) close(in *receiver.Inbox) (receiver.Counts, error) {
	in.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	counts := p.server.TakeCounts()
	if p.trials--; p.trials > 0 {
		return counts, nil
	}
	server := p.server
	p.server = nil
	return counts, server.Close()
}

// Complete implements providers.Provider. Calls that the program made come in replies without words before the one that
// it said, as those of a model would: each with what came back.
func (p *Provider) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	trial := providers.TrialOf(ctx)
	if trial == nil {
		return p.next.Complete(ctx, req, onDelta)
	}
	part, ok := trial.Keep(p, func() providers.TrialPart { return p.begin(ctx, trial) })
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
	called := *req
	called.Stream = false // what it says comes behind what it did
	reply, err := p.next.Complete(ctx, &called, nil)
	if err != nil {
		return reply, err
	}
	if len(reply.ToolCalls) > 0 { // it goes on when it has the results
		w.told(reply.ToolCalls)
		return reply, nil
	}
	replies, err := w.collect(ctx, reply)
	if err != nil {
		return chat.Reply{}, p.error(err)
	}
	w.wait(req, replies[1:])
	return p.deliver(req, replies[0], onDelta)
}

// deliver gives a whole reply to a caller who listens to a stream.
func (p *Provider) deliver(req *chat.Request, r chat.Reply, onDelta func(chat.Delta) error) (chat.Reply, error) {
	if !req.Stream || onDelta == nil || r.Content == "" {
		return r, nil
	}
	if err := onDelta(chat.Delta{Text: r.Content}); err != nil && !errors.Is(err, providers.ErrEnough) {
		return chat.Reply{}, err
	}
	return r, nil
}

// error is that of a call whose traces are not known. The program has acted, so that no other call is worth it.
func (p *Provider) error(err error) error {
	return &providers.Error{
		Kind: providers.BadReply, Provider: p.spec.ID, Final: true, Err: err,
		Msg: fmt.Sprintf("%v (--no-traces does without)", err),
	}
}
