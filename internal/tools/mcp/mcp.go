// Package mcp runs the calls of tools by MCP servers: programs that it starts and ends with all that they started, and
// servers behind HTTP. Messages and sessions are those of the protocol's own library; how bytes come and go, and what a
// server that misbehaves may do, is decided here.
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
	callLimit   = 30 * time.Second // of a call, where the file says nothing else
	listLimit   = 30 * time.Second
	greeting    = 10 * time.Second // until a server has answered the handshake
	fetching    = 30 * time.Second // the same for a program that may have to be fetched first
	patience    = 2 * time.Second  // for a server to end by itself, and again after it was told to
	maxStarts   = 3
	maxMessage  = 10 << 20 // bytes
	maxTools    = 10_000
	maxPages    = 1_000
	unspecified = `{"type":"object"}` // schema of a tool without one
)

// Host is what servers get of the world.
type Host struct {
	Getenv func(name string) (string, bool)
	HTTP   *http.Client // nil: no connection is opened
}

// New makes the opener of a server. It starts nothing.
func New(spec *scenario.Server, host Host) *tools.Opener {
	if host.Getenv == nil {
		host.Getenv = func(string) (string, bool) { return "", false }
	}
	scope := map[string]tools.Scope{"scenario": tools.PerScenario, "session": tools.PerSession}[spec.Scope]
	return &tools.Opener{
		Name: SourceName(spec), Scope: scope, Outside: true, Wanted: spec.MayServe,
		Open: func() tools.Source {
			life, end := context.WithCancelCause(context.Background())
			return &source{spec: spec, host: host, life: life, end: end}
		},
	}
}

// SourceName is the name of a server as a source of tools.
func SourceName(spec *scenario.Server) string { return fmt.Sprintf("MCP server %q", spec.Name) }

// source is a server: from its first start until it is closed, however often it has to be started meanwhile.
type source struct {
	spec *scenario.Server
	host Host
	life context.Context // of the source
	end  context.CancelCauseFunc
	// limit is the time for the handshake; 0: as usual.
	limit time.Duration

	mu     sync.Mutex
	live   *session // nil: there is none
	start  *attempt // under way; nil: none
	starts int
	old    bool  // it only knows the protocol as it began
	lost   error // why there is none any more; nil: there was none
	notes  []string
	ending sync.WaitGroup
}

// attempt is a start, for all who wait for it.
type attempt struct {
	done chan struct{}
	live *session
	err  error
}

var errClosed = errors.New("it was closed")

// List implements tools.Source. It starts the server, also one that has ended, unless that happened too often.
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

// Call implements tools.Source. Calls run at once. A server that has ended is not started for a call: what it knew is
// gone, and the conversation goes on as if it were not.
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

// connected is the session of a server that runs. It starts one that never ran, and with again also one that has ended.
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

// toAwait is the start to wait for; nil: the server runs. The caller holds the lock.
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

// drop ends a session, without waiting for that.
func (s *source) drop(live *session) { s.ending.Go(live.close) }

// note keeps something that the user should know, once.
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

// notesAfter are the notes but for the first ones.
func (s *source) notesAfter(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.notes[n:]...)
}

func (s *source) failed(call chat.ToolCall, err error) chat.ToolResult {
	if own, ok := errors.AsType[refusal](err); ok {
		return tools.Failure(call, own.kind, own.text)
	}
	return tools.Failure(call, chat.ErrorExecution, fmt.Sprintf("MCP server %q: %v", s.spec.Name, err))
}

// overdueError ends what takes too long.
type overdueError struct {
	what  string
	limit time.Duration
	by    string
}

func (e overdueError) Error() string { return fmt.Sprintf("%s within %s%s", e.what, e.limit, e.by) }
