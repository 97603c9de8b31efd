// Package a2a runs the calls of tools by other agents: each skill on the card of a remote agent is a tool.
package a2a

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

const (
	cardReads  = 3               // attempts to read a card in a run
	cancelTime = 2 * time.Second // for the request that cancels a task
)

// New returns the tool source of a remote agent. It opens no connection. Without a client, calls are refused.
func New(spec *scenario.Agent, client *http.Client, getenv func(name string) (string, bool)) *tools.Opener {
	return &tools.Opener{
		Name: fmt.Sprintf("agent %q at %s", spec.Name, spec.Written), Agent: spec.Name, Always: true, Outside: true,
		Open: func() tools.Source { return open(spec, client, getenv) },
	}
}

func open(spec *scenario.Agent, client *http.Client, getenv func(string) (string, bool)) *source {
	s := &source{spec: spec, link: &link{spec, client, getenv, pause.For}}
	s.client = &a2a.Client{Base: spec.URL, Secret: s.link.secret(), Do: s.link.do, Excerpt: excerpt, Pause: pause.For}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// source is a remote agent. It implements tools.Source.
type source struct {
	spec   *scenario.Agent
	client *a2a.Client
	link   *link
	life   context.Context // ends with the source
	end    context.CancelFunc
	behind sync.WaitGroup // requests that outlive their call

	mu    sync.Mutex
	card  *reading // the latest reading of the card; nil: none
	reads int
}

// reading is one reading of the card. Concurrent callers share it.
type reading struct {
	done  chan struct{} // closed when the other fields are set
	at    a2a.Endpoint
	list  []chat.Tool
	skill map[string]string // tool name → skill id
	err   error
}

// List implements tools.Source.
func (s *source) List(ctx context.Context) ([]chat.Tool, error) {
	ctx, cancel := s.limited(ctx)
	defer cancel()
	card, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	return card.list, nil
}

// Close implements tools.Source. It leaves the connections open: they belong to the run.
func (s *source) Close() error {
	s.end()
	s.behind.Wait()
	return nil
}

// overdueError is the cause that ends a call that takes too long.
type overdueError struct{ limit time.Duration }

func (e overdueError) Error() string { return fmt.Sprintf("no answer within %s (timeout_ms)", e.limit) }

func (s *source) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.spec.Timeout, overdueError{s.spec.Timeout})
}

// read returns the card of the agent. The first caller reads it for all: when that caller's context ends, the others
// still get the card. A failed reading is repeated for later callers, up to the limit.
func (s *source) read(ctx context.Context) (*reading, error) {
	s.mu.Lock()
	if s.card == nil || s.card.failed() && s.reads < cardReads {
		s.card = &reading{done: make(chan struct{})}
		s.reads++
		card := s.card
		s.behind.Go(func() { //nolint:contextcheck // the card outlives the trial that wants it first
			defer close(card.done)
			limited, cancel := s.limited(s.life)
			defer cancel()
			s.fill(limited, card)
		})
	}
	card := s.card
	s.mu.Unlock()
	select {
	case <-card.done:
		return card, card.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// failed reports whether the reading has ended with an error.
func (r *reading) failed() bool {
	select {
	case <-r.done:
		return r.err != nil
	default:
		return false
	}
}

// Call implements tools.Source.
func (s *source) Call(ctx context.Context, call chat.ToolCall) chat.ToolResult {
	ctx, cancel := s.limited(ctx)
	defer cancel()
	fail := func(kind string, err error) chat.ToolResult {
		return tools.Failure(call, kind, fmt.Sprintf("%s: %s: %v", call.Name, s.spec.Written, err))
	}
	card, err := s.read(ctx)
	if err != nil {
		return fail(chat.ErrorUnavailable, err)
	}
	m, err := message(card.skill[call.Name], call.Args)
	if err != nil {
		return tools.Failure(call, chat.ErrorValidation, fmt.Sprintf("invalid arguments for %s: %v", call.Name, err))
	}
	res, err := s.client.Send(ctx, card.at, m)
	if err == nil {
		res, err = s.client.Await(ctx, card.at, res)
	}
	if err != nil {
		s.abandon(ctx, card.at, res)
		return fail(chat.ErrorUnavailable, err)
	}
	answer, err := answerOf(res)
	if err != nil {
		return fail(chat.ErrorExecution, err)
	}
	return answer
}

// abandon notifies an agent that its running task is no longer needed.
func (s *source) abandon(ctx context.Context, at a2a.Endpoint, res *a2a.Result) {
	if ctx.Err() == nil || res == nil || res.ID == "" {
		return
	}
	s.behind.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
		defer cancel()
		_ = s.client.Cancel(ctx, at, res.ID) // the agent may refuse; the call has ended anyway
	})
}
