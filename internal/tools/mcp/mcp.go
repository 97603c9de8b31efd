// Package mcp runs the calls of tools by MCP servers: programs that it starts and ends with all that they started, and
// servers behind HTTP. The protocol's own library handles messages and sessions. This package handles the transport,
// and decides what a server that misbehaves may do.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

const (
	callLimit   = 30 * time.Second // time limit of a call without one in the file
	listLimit   = 30 * time.Second
	greeting    = 10 * time.Second // time limit of the handshake
	fetching    = 30 * time.Second // the same for a program that may have to download first
	patience    = 2 * time.Second  // for a server to end by itself, and again after it was asked to
	maxStarts   = 3
	maxMessage  = 10 << 20 // bytes
	maxTools    = 10_000
	maxPages    = 1_000
	unspecified = `{"type":"object"}` // schema of a tool without one
)

// Host is what a server needs of its surroundings.
type Host struct {
	Getenv func(name string) (string, bool)
	HTTP   *http.Client // nil: no connections are allowed
	// OnStderr receives the lines that a server's program writes to stderr, with the name of the server, from any
	// goroutine; nil: they are dropped.
	OnStderr func(who, line string)
}

// New returns the opener of a server. It starts nothing.
func New(spec *scenario.Server, host Host) *tools.Opener {
	if host.Getenv == nil {
		host.Getenv = func(string) (string, bool) { return "", false }
	}
	scope := map[string]tools.Scope{"scenario": tools.PerScenario, "session": tools.PerSession}[spec.Scope]
	return &tools.Opener{
		Name: SourceName(spec), Scope: scope, Outside: true, Needed: spec.MayServe,
		Open: func() tools.Source {
			life, end := context.WithCancelCause(context.Background())
			return &source{spec: spec, host: host, life: life, end: end}
		},
	}
}

// SourceName is the name of a server as a tool source.
func SourceName(spec *scenario.Server) string { return fmt.Sprintf("MCP server %q", spec.Name) }

// source is an MCP server as a tool source. The server may be started several times before the source is closed.
type source struct {
	spec *scenario.Server
	host Host
	life context.Context // ends when the source is closed
	end  context.CancelCauseFunc
	// limit is the time limit of the handshake; 0: the default.
	limit time.Duration

	mu     sync.Mutex
	live   *session // the current session; nil: none
	start  *attempt // the start under way; nil: none
	starts int
	old    bool  // the server knows only older versions of the protocol
	lost   error // why the last session ended; nil: there was none
	notes  []string
	ending sync.WaitGroup
}

// attempt is one start of the server, which several callers may wait for.
type attempt struct {
	done chan struct{}
	live *session
	err  error
}

var errClosed = errors.New("it was closed")

// List implements tools.Source. It starts the server, again if it has ended, unless that happened too often.
func (s *source) List(ctx context.Context) ([]chat.Tool, error) {
	live, err := s.connected(ctx, true)
	if err != nil {
		return nil, err
	}
	list, err := live.tools(ctx)
	if err != nil {
		return nil, live.blame(err)
	}
	return list, nil
}

// Call implements tools.Source. Calls run concurrently. A server that has ended is not started again for a call: its
// state is lost, and the conversation would go on as if it were not.
func (s *source) Call(ctx context.Context, call chat.ToolCall) chat.ToolResult {
	before := s.noted()
	live, err := s.connected(ctx, false)
	if err != nil {
		return s.failed(call, err)
	}
	limit := cmp.Or(s.spec.Timeout, callLimit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, overdueError{"no answer", limit, " (timeout_ms)"})
	defer cancel()
	res, err := live.call(ctx, call, strings.TrimPrefix(call.Name, s.spec.Prefix()))
	if err != nil {
		res = s.failed(call, live.blame(err))
	}
	res.Notice = strings.Join(s.notesAfter(before), "\n")
	return res
}

// Remarks implements tools.Remarker.
func (s *source) Remarks() tools.Remarks {
	s.mu.Lock()
	live := s.live
	s.mu.Unlock()
	r := tools.Remarks{Notices: s.notesAfter(0)}
	if live != nil {
		r.Fixed, r.ReadOnly = live.fixed(), live.readOnly.Load()
	}
	return r
}

// Close implements tools.Source.
func (s *source) Close() error {
	s.end(errClosed)
	s.mu.Lock()
	live := s.live
	s.live = nil
	s.mu.Unlock()
	if live != nil {
		live.close()
	}
	s.ending.Wait()
	return nil
}

// connected returns the session of the running server. It starts a server that never ran and, with again, one that has
// ended.
func (s *source) connected(ctx context.Context, again bool) (*session, error) {
	s.mu.Lock()
	a, err := s.toAwait(again) //nolint:contextcheck // the server outlives the call
	live := s.live
	s.mu.Unlock()
	if err != nil || a == nil {
		return live, err
	}
	select {
	case <-a.done:
		return a.live, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// toAwait returns the start to wait for; nil: the server runs. The caller holds the lock.
func (s *source) toAwait(again bool) (*attempt, error) {
	if s.life.Err() != nil {
		return nil, errClosed
	}
	if s.live != nil {
		if !s.live.over() {
			return nil, nil
		}
		s.lost = s.live.blame(errEnded)
		s.drop(s.live)
		s.live = nil
	}
	switch {
	case s.start != nil:
	case s.lost != nil && !again:
		return nil, fmt.Errorf("%w; it is started again when the next turn begins", s.lost)
	case s.starts >= maxStarts:
		return nil, fmt.Errorf("it was started %d times and is not started again; the last time: %w", s.starts, s.lost)
	default:
		s.begin()
	}
	return s.start, nil
}

// begin starts the server. The caller holds the lock.
func (s *source) begin() {
	a := &attempt{done: make(chan struct{})}
	s.start = a
	s.starts++
	old := s.old
	s.ending.Go(func() {
		live, err := s.open(old)
		s.mu.Lock()
		defer s.mu.Unlock()
		if err == nil && s.life.Err() != nil {
			s.drop(live)
			live, err = nil, errClosed
		}
		s.start, s.live, s.lost = nil, live, err
		a.live, a.err = live, err
		close(a.done)
	})
}

// drop ends a session, and does not wait for the end.
func (s *source) drop(live *session) { s.ending.Go(live.close) }

// note stores a note for the user, each note once.
func (s *source) note(format string, args ...any) {
	text := fmt.Sprintf("MCP server %q: ", s.spec.Name) + fmt.Sprintf(format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

func (s *source) noted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.notes)
}

// notesAfter returns the notes without the first n.
func (s *source) notesAfter(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.notes[n:]...)
}

func (s *source) failed(call chat.ToolCall, err error) chat.ToolResult {
	if own, ok := errors.AsType[refusal](err); ok {
		return tools.Failure(call, own.kind, own.text)
	}
	return tools.Failure(call, chat.ErrorUnavailable, fmt.Sprintf("MCP server %q: %v", s.spec.Name, err))
}

// overdueError is the cause that ends a call or a start that takes too long.
type overdueError struct {
	what  string
	limit time.Duration
	by    string
}

func (e overdueError) Error() string { return fmt.Sprintf("%s within %s%s", e.what, e.limit, e.by) }
