package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// asked are the methods by which a server asks something of its client.
var asked = []string{"sampling/createMessage", "elicitation/create", "roots/list"}

// oldVersion is the newest protocol version whose handshake is the method initialize.
const oldVersion = "2025-11-25"

var errEnded = errors.New("it ended")

// link carries the messages of a session.
type link interface {
	sdk.Transport
	// blame adds the known cause to an error: how the program ended and its last output, or the HTTP answer.
	blame(err error) error
	// lost reports whether no more messages can come.
	lost() bool
	// shut ends everything that was started, and returns when it has ended.
	shut()
}

// session is a connection to a server that completed the handshake.
type session struct {
	link   link
	client *sdk.ClientSession
	leave  context.CancelFunc
	ended  chan struct{} // closed when no more messages come
	spec   *scenario.Server
	note   func(format string, args ...any)

	changed  atomic.Bool // the list of tools has changed
	readOnly atomic.Bool // no listed tool changes anything
	turn     chan struct{}
	list     []chat.Tool // guarded by turn; nil: not read yet
}

// greet makes the handshake over a link, within a time limit. When it fails, the link is shut.
func greet(life context.Context, spec *scenario.Server, over link, limit time.Duration, version string,
	note func(format string, args ...any),
) (*session, error) {
	s := &session{link: over, spec: spec, note: note, ended: make(chan struct{}), turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	client := sdk.NewClient(&sdk.Implementation{Name: "arena", Version: clientVersion()}, &sdk.ClientOptions{
		Logger: slog.New(remarks{note}), Capabilities: &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { s.changed.Store(true) },
		MultiRoundTrip:         &sdk.MultiRoundTripOptions{Disabled: true},
	})
	client.AddReceivingMiddleware(s.refuse)
	// Some transports live as long as the context with which they were connected.
	ctx, leave := context.WithCancelCause(life)
	timer := time.AfterFunc(limit, func() { leave(overdueError{"no answer to the handshake", limit, ""}) })
	var err error
	s.client, err = client.Connect(ctx, over, &sdk.ClientSessionOptions{ProtocolVersion: version})
	inTime := timer.Stop()
	if err == nil && !inTime {
		_, err = s.client.Close(), context.Cause(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		err = over.blame(versions(err))
		leave(nil)
		over.shut()
		return nil, err
	}
	s.leave = func() { leave(nil) }
	go func() {
		_ = s.client.Wait() // the link knows the error
		close(s.ended)
	}()
	return s, nil
}

// versions adds the protocol versions that arena speaks to the error of a handshake.
func versions(err error) error {
	if !strings.Contains(err.Error(), "protocol version") {
		return err
	}
	known := sdk.SupportedProtocolVersions()
	return fmt.Errorf("%w; arena speaks %s to %s", err, known[len(known)-1], known[0])
}

func (s *session) over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return s.link.lost()
	}
}

func (s *session) blame(err error) error { return s.link.blame(err) }

func (s *session) close() {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = s.client.Close() // ends the session at servers over HTTP
	}()
	select {
	case <-closed:
	case <-time.After(goodbye):
		s.leave()
	}
	s.link.shut()
	<-closed
	s.leave()
	<-s.ended
}

// goodbye is how long the end of a session over HTTP may take.
const goodbye = 2 * time.Second

// refuse answers requests of the server: arena offers servers nothing.
func (s *session) refuse(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if !slices.Contains(asked, method) {
			return next(ctx, method, req)
		}
		s.note("it asks for %s, which arena does not offer", method)
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this client does not offer " + method}
	}
}

// tools returns the list of tools, and reads it when it is not known.
func (s *session) tools(ctx context.Context) ([]chat.Tool, error) {
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if s.list != nil && !s.changed.Load() {
		return s.list, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, listLimit, overdueError{"no list of tools", listLimit, ""})
	defer cancel()
	s.changed.Store(false)
	list, err := s.pages(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	s.list = list
	return list, nil
}

// fixed reports whether the server's tools never change.
func (s *session) fixed() bool {
	about := s.client.InitializeResult()
	return about == nil || about.Capabilities == nil || about.Capabilities.Tools == nil ||
		!about.Capabilities.Tools.ListChanged
}

// pages reads the whole list of tools.
func (s *session) pages(ctx context.Context) ([]chat.Tool, error) {
	list, met, readOnly := []chat.Tool{}, map[string]bool{}, true
	params := &sdk.ListToolsParams{}
	for range maxPages {
		page, err := s.client.ListTools(ctx, params)
		if err != nil {
			return nil, fmt.Errorf("its tools cannot be listed: %w", plain(err))
		}
		for _, t := range page.Tools {
			switch {
			case t.Name == "":
				return nil, errors.New("one of its tools has no name")
			case met[t.Name]:
				return nil, fmt.Errorf("two of its tools are called %q", t.Name)
			case len(list) == maxTools:
				return nil, fmt.Errorf("it has more than %d tools", maxTools)
			}
			met[t.Name] = true
			if s.spec.Tools.Takes(t.Name) {
				list = append(list, s.offer(t))
				readOnly = readOnly && t.Annotations != nil && t.Annotations.ReadOnlyHint
			}
		}
		if page.NextCursor == "" {
			s.readOnly.Store(readOnly)
			return list, s.misfiltered(slices.Sorted(maps.Keys(met)))
		}
		if page.NextCursor == params.Cursor {
			return nil, errors.New("its list of tools has no end: a page leads to itself")
		}
		params = &sdk.ListToolsParams{Cursor: page.NextCursor}
	}
	return nil, fmt.Errorf("its list of tools has more than %d pages", maxPages)
}

// misfiltered reports names in the filter that match no tool. It reports none when the server's list may change.
func (s *session) misfiltered(names []string) error {
	for _, name := range s.spec.Tools.Missing(names) {
		text := fmt.Sprintf("its tool_filter names %q, which it does not have", name)
		if near := s.spec.Tools.Nearest(name, names); near != "" {
			text += ": " + near
		}
		if s.fixed() {
			return errors.New(text)
		}
		s.note("%s", text)
	}
	return nil
}

// offer returns a tool as the model sees it.
func (s *session) offer(t *sdk.Tool) chat.Tool {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil || string(schema) == "null" {
		schema = []byte(unspecified)
	}
	text := t.Description
	if text == "" {
		text = t.Title
	}
	return chat.Tool{Name: s.spec.Prefix() + t.Name, Description: text, Schema: schema}
}

// call calls a tool, by the server's name for it.
func (s *session) call(ctx context.Context, call chat.ToolCall, name string) (chat.ToolResult, error) {
	res, err := s.client.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: call.Args})
	if err == nil {
		return result(call, res), nil
	}
	if ctx.Err() != nil {
		return chat.ToolResult{}, context.Cause(ctx)
	}
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok && rpc.Message != notTaken {
		return chat.ToolResult{}, refusalOf(rpc)
	}
	return chat.ToolResult{}, plain(err)
}

// notTaken is what the library says of a request that a server over HTTP refused.
const notTaken = "rejected by transport"

// refusal is a protocol error in a server's answer.
type refusal struct{ kind, text string }

func (r refusal) Error() string { return r.text }

func refusalOf(e *jsonrpc.Error) refusal {
	r := refusal{chat.ErrorExecution, e.Message}
	if e.Code == jsonrpc.CodeInvalidParams {
		r.kind = chat.ErrorValidation
	}
	if r.text == "" {
		r.text = fmt.Sprintf("error %d", e.Code)
	}
	return r
}

// remarks turns log messages of the library into notes: the library leaves out tools that break the protocol.
type remarks struct {
	note func(format string, args ...any)
}

func (remarks) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }

func (r remarks) Handle(_ context.Context, record slog.Record) error { //nolint:gocritic // as the interface wants it
	text := record.Message
	record.Attrs(func(a slog.Attr) bool {
		text += " " + a.Value.String()
		return true
	})
	r.note("%s", text)
	return nil
}

func (r remarks) WithAttrs([]slog.Attr) slog.Handler { return r }

func (r remarks) WithGroup(string) slog.Handler { return r }
