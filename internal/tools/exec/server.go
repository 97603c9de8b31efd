package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/tools"
)

// patience is how long a server may take to end by itself, and again after it was signalled to end.
const patience = 2 * time.Second

// server is a program that keeps running and answers call after call, each with the id of its request. The first call
// starts it. After it ended, or was ended because its answers were invalid, the next call starts it again.
type server struct {
	p    *program
	turn chan struct{} // holds a token while no call runs

	// The rest belongs to who has the token.
	live   *conversation // nil: the program does not run
	next   int64         // id of the last request
	noted  bool          // that it says something else than answers
	closed bool

	ending sync.WaitGroup
}

func newServer(p *program) *server {
	s := &server{p: p, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

// List implements tools.Source. The file of the tool says all about it.
func (s *server) List(context.Context) ([]chat.Tool, error) {
	return []chat.Tool{{Name: s.p.name}}, nil
}

// Call implements tools.Source. Calls wait for each other; the limit of a call begins with its turn.
func (s *server) Call(ctx context.Context, call chat.ToolCall) chat.ToolResult {
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
		return s.failed(call, context.Cause(ctx))
	}
	if s.closed {
		return s.failed(call, errors.New("it was closed"))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.p.Timeout, overdueError{s.p.Timeout})
	defer cancel()
	m, c, err := s.ask(ctx, call.Args)
	if err != nil {
		return s.failed(call, err)
	}
	res := m.result(call)
	if first := c.firstNoise(); first != "" && !s.noted {
		s.noted = true
		res.Notice = fmt.Sprintf("tool %s: its program writes lines that are no answers, the first of them %s",
			s.p.name, first)
	}
	return res
}

// ask sends a request and waits for its answer. A program that did not give one is ended.
func (s *server) ask(ctx context.Context, args map[string]any) (*message, *conversation, error) {
	if s.live != nil && s.live.over() {
		s.drop()
	}
	if s.live == nil {
		c := s.p.command()
		c.Grace = patience
		running, err := c.Start() //nolint:contextcheck // the program outlives the call
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.p.Command, err)
		}
		s.live = converse(running)
	}
	s.next++
	request, err := line(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
		ID      int64  `json:"id"`
	}{"2.0", "execute", map[string]any{"args": args}, s.next})
	if err != nil {
		return nil, nil, err
	}
	c := s.live
	m, err := c.exchange(ctx, request, strconv.FormatInt(s.next, 10))
	if err != nil {
		s.drop()
		return nil, nil, process.Ended(s.p.Command, err, c.running.Stderr())
	}
	return m, c, nil
}

// drop ends the program, without waiting for that.
func (s *server) drop() {
	c := s.live
	s.live = nil
	c.leave()
	s.ending.Go(func() { c.running.Stop(0) })
}

// Close implements tools.Source.
func (s *server) Close() error {
	<-s.turn
	s.closed = true
	c := s.live
	s.live = nil
	s.turn <- struct{}{}
	if c != nil {
		c.leave()
		c.running.Stop(patience)
	}
	s.ending.Wait()
	return nil
}

func (s *server) failed(call chat.ToolCall, err error) chat.ToolResult {
	return tools.Failure(call, chat.ErrorUnavailable, fmt.Sprintf("%s: %v", s.p.name, err))
}

// message is what a server wrote on a line: an answer, or something else of JSON-RPC.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

const invalidParams = -32602 // of JSON-RPC

func (m *message) result(call chat.ToolCall) chat.ToolResult {
	if m.Error == nil {
		return resultOf(call, m.Result)
	}
	kind, text := chat.ErrorExecution, m.Error.Message
	if m.Error.Code == invalidParams {
		kind = chat.ErrorValidation
	}
	if text == "" {
		text = fmt.Sprintf("error %d", m.Error.Code)
	}
	return tools.Failure(call, kind, text)
}
