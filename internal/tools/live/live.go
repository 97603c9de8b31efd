// Package live runs the calls of tools by endpoints over HTTP.
package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonquery"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

const (
	maxReply = 10       // MB of a reply
	maxTrial = 50 << 20 // bytes of all replies of a trial
	maxBody  = 2000     // characters of the body of a refusal
)

// New makes the runner of a tool of mode live. It opens no connection. A nil client refuses every call.
func New(
	spec *scenario.Tool, client *http.Client, getenv func(name string) (string, bool),
) tools.Runner {
	e, err := compile(spec, client, getenv)
	if err != nil { // which loading has reported
		return tools.Runner{Run: func(context.Context, map[string]any) (chat.ToolResult, error) {
			return chat.ToolResult{}, err
		}}
	}
	return tools.Runner{Opener: &tools.Opener{
		Name: "tool " + spec.ID, Scope: tools.PerSession, Open: func() tools.Source { return &source{e: e, name: spec.ID} },
		Unredacted: e.redaction.unmet,
	}}
}

func compile(
	spec *scenario.Tool, client *http.Client, getenv func(name string) (string, bool),
) (*endpoint, error) {
	if spec.HTTP == nil {
		return nil, errors.New("it names no endpoint")
	}
	e := &endpoint{
		HTTPTool: spec.HTTP, client: client, getenv: getenv, heads: map[string]*tools.Template{},
		redaction: newRedaction(spec.HTTP.Redact),
	}
	var err error
	if e.url, err = tools.ParseTemplate("url", spec.HTTP.URL, inAddress); err != nil {
		return nil, fmt.Errorf("http.url: %w", err)
	}
	for name, text := range spec.HTTP.HeaderParams {
		if e.heads[name], err = tools.ParseTemplate(name, text, inHeader); err != nil {
			return nil, fmt.Errorf("http.request.header_params: %w", err)
		}
	}
	if e.body, err = query(spec.HTTP.BodyMapping); err != nil {
		return nil, fmt.Errorf("http.request.body_mapping: %w", err)
	}
	if e.reply, err = query(spec.HTTP.Mapping); err != nil {
		return nil, fmt.Errorf("http.response.body_mapping: %w", err)
	}
	return e, nil
}

func query(text string) (*jsonquery.Query, error) {
	if text == "" {
		return nil, nil
	}
	return jsonquery.Compile(text)
}

// endpoint is a tool, ready to be called.
type endpoint struct {
	*scenario.HTTPTool
	client *http.Client
	getenv func(string) (string, bool)
	url    *tools.Template
	heads  map[string]*tools.Template
	body   *jsonquery.Query // nil: the arguments as they are
	reply  *jsonquery.Query // nil: the whole reply

	redaction *redaction
}

// source is an endpoint as one trial calls it.
type source struct {
	e    *endpoint
	name string
	read atomic.Int64 // bytes of replies
}

// List implements tools.Source. The file of the tool says all about it.
func (s *source) List(context.Context) ([]chat.Tool, error) { return []chat.Tool{{Name: s.name}}, nil }

// Close implements tools.Source. The connections belong to the run.
func (s *source) Close() error { return nil }

// overdueError ends a call that takes too long.
type overdueError struct{ limit time.Duration }

func (e overdueError) Error() string { return fmt.Sprintf("no answer within %s (timeout_ms)", e.limit) }

// answeredError is an answer of the endpoint that reports a failure. An unreadable answer is another error.
type answeredError struct{ error }

func (e answeredError) Unwrap() error { return e.error }

// Call implements tools.Source.
func (s *source) Call(ctx context.Context, call chat.ToolCall) chat.ToolResult {
	ctx, cancel := context.WithTimeoutCause(ctx, s.e.Timeout, overdueError{s.e.Timeout})
	defer cancel()
	res, err := s.answer(ctx, call)
	if err != nil {
		kind := chat.ErrorUnavailable
		if _, answered := errors.AsType[answeredError](err); answered {
			kind = chat.ErrorExecution
		}
		return tools.Failure(call, kind, fmt.Sprintf("%s: %v", s.name, err))
	}
	return res
}

func (s *source) answer(ctx context.Context, call chat.ToolCall) (chat.ToolResult, error) {
	if s.e.client == nil {
		return chat.ToolResult{}, errors.New("there is no network here")
	}
	for _, unset := range s.e.Unset { // the plan has reported it, unless no call was planned
		return chat.ToolResult{}, fmt.Errorf("the environment has no %s", unset.Name)
	}
	r, err := s.e.request(ctx, call.Args)
	if err != nil {
		return chat.ToolResult{}, err
	}
	got, err := s.e.send(ctx, r)
	if err != nil {
		return chat.ToolResult{}, s.failed(err)
	}
	if s.read.Add(int64(len(got.Body))) > maxTrial {
		return chat.ToolResult{}, fmt.Errorf("the replies of this trial are larger than %d MB", maxTrial>>20)
	}
	res, err := s.e.result(got, r.header)
	if err != nil {
		return res, fmt.Errorf("%s %s: %w", s.e.Method, address(s.e.Written), err)
	}
	return res, nil
}

// failed is why an endpoint gave no answer.
func (s *source) failed(err error) error {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%s %s: cannot reach it: connection refused; is the server running?", s.e.Method,
			address(s.e.Written))
	}
	return fmt.Errorf("%s %s: %w", s.e.Method, address(s.e.Written), err)
}

// address is an address as its author wrote it, up to what each call fills in.
func address(written string) string {
	before, _, template := strings.Cut(written, "{{")
	if template {
		return before + "…"
	}
	return written
}

// inAddress escapes a value so that it stays one part of an address.
func inAddress(v any) (string, error) {
	text, err := written(v)
	if text == "." || text == ".." {
		return "", fmt.Errorf("%q cannot stand in an address", text)
	}
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20"), err
}

func inHeader(v any) (string, error) {
	text, err := written(v)
	if strings.ContainsAny(text, "\r\n\x00") {
		return "", errors.New("a line break cannot stand in a header")
	}
	return text, err
}

// written is an argument as text. One that a call does not have cannot be written.
func written(v any) (string, error) {
	if v == nil {
		return "", errors.New("the call lacks an argument that stands in it")
	}
	return plainText(v)
}

// plainText writes a value as queries hold it.
func plainText(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		if whole, fraction, cut := strings.Cut(v.String(), "."); cut && strings.Trim(fraction, "0") == "" {
			return whole, nil
		}
		return v.String(), nil
	}
	data, err := jsonvalue.Plain(v)
	return string(data), err
}
