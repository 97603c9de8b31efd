package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Client calls one agent. It is safe for concurrent use when Do is. Do sends all requests. The official library is not
// used: its client needs gRPC, refuses what older agents send, and slows down every start of arena. The tests use its
// server.
type Client struct {
	Name   string // of the agent, for errors; "": errors do not name it
	Base   string // address of the agent, without a slash at the end
	Secret string // names the secret part of the requests, which is only for the host of Base; "": none
	// Do sends a request and reads the whole answer, whatever its status. Its errors are returned as they are.
	Do func(ctx context.Context, r *Request) (*Response, error)
	// Excerpt returns the start of an agent's text for the end of an error: a colon and the text; "" for an empty text.
	Excerpt func(text string) string
	// Pause waits between two questions about a task, as pause.For does.
	Pause func(ctx context.Context, d time.Duration) error

	calls atomic.Int64
}

// Request is one request over HTTP.
type Request struct {
	Method, URL string
	Body        []byte
	Repeatable  bool // sending it twice does no harm
	Newer       bool // uses protocol version 1.0
}

// Response is the answer to a Request.
type Response struct {
	Status int
	Body   []byte
}

// StatusError is an answer with a status other than 200.
type StatusError struct {
	text string
	Code int
}

func (e *StatusError) Error() string { return e.text }

func (c *Client) refused(res *Response) error {
	text := fmt.Sprintf("status %d", res.Status)
	if name := http.StatusText(res.Status); name != "" {
		text += " " + name
	}
	return &StatusError{text + c.Excerpt(string(res.Body)), res.Status}
}

// The methods of the protocol, with their names in version 0.3 and 1.0.
type method struct{ older, newer string }

var (
	sendMessage = method{"message/send", "SendMessage"}
	getTask     = method{"tasks/get", "GetTask"}
	cancelTask  = method{"tasks/cancel", "CancelTask"}
)

// Send sends a message. The answer is a message, or a task in any state.
func (c *Client) Send(ctx context.Context, at Endpoint, m *Message) (*Result, error) {
	return c.call(ctx, at, sendMessage, m.encode(at.Newer), false)
}

// taskQuery names a task.
type taskQuery struct {
	ID string `json:"id"`
}

const (
	firstPause = 100 * time.Millisecond
	mostPause  = 2 * time.Second
)

// Await polls a task until it has ended or needs input. A message is returned at once. When ctx ends, the error names
// the state of the task, which is returned as well.
func (c *Client) Await(ctx context.Context, at Endpoint, res *Result) (*Result, error) {
	for wait := firstPause; res.GoesOn(); wait = min(2*wait, mostPause) {
		if res.ID == "" {
			return res, c.fault("the task is %s and has no id by which to ask for it", res.State())
		}
		if err := c.Pause(ctx, wait); err != nil {
			return res, c.fault("%w; the task is %s", err, res.State())
		}
		next, err := c.call(ctx, at, getTask, taskQuery{res.ID}, true)
		if err != nil {
			return res, err
		}
		if next.ID == "" {
			next.ID = res.ID
		}
		if next.ID != res.ID {
			next.doubt(fmt.Sprintf("the agent was asked for the task %s, and answers with %s", brief(res.ID), brief(next.ID)))
		}
		res = next
	}
	return res, nil
}

// Cancel cancels a task that is no longer needed. The agent may refuse.
func (c *Client) Cancel(ctx context.Context, at Endpoint, id string) error {
	_, err := c.call(ctx, at, cancelTask, taskQuery{id}, true)
	return err
}

type rpcRequest struct {
	Version string `json:"jsonrpc"`
	ID      int64  `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

type rpcResponse struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (c *Client) call(ctx context.Context, at Endpoint, m method, params any, repeatable bool) (*Result, error) {
	name := m.older
	if at.Newer {
		name = m.newer
	}
	id := c.calls.Add(1)
	body, err := json.Marshal(rpcRequest{"2.0", id, name, params})
	if err != nil {
		return nil, c.fault("the message cannot be written as JSON: %w", err)
	}
	res, err := c.Do(ctx, &Request{
		Method: http.MethodPost, URL: at.URL, Body: body, Repeatable: repeatable, Newer: at.Newer,
	})
	if err != nil {
		return nil, err
	}
	if res.Status != http.StatusOK {
		return nil, c.fault("%w", c.refused(res))
	}
	var reply rpcResponse
	if err := json.Unmarshal(res.Body, &reply); err != nil {
		return nil, c.fault("%s was not answered with JSON-RPC%s", name, c.Excerpt(string(res.Body)))
	}
	if key, twice := jsonvalue.KeyTwiceOutside(res.Body, freeForm); twice {
		return nil, c.fault("%s was answered with the key %q twice in one object, and it is not known which one holds%s",
			name, key, c.Excerpt(string(res.Body)))
	}
	if e := reply.Error; e != nil {
		return nil, c.fault("%s failed with error %d%s", name, e.Code, c.Excerpt(e.Message))
	}
	result := &Result{}
	if err := json.Unmarshal(reply.Result, result); err != nil || result.Status == nil && result.Parts == nil {
		return nil, c.fault("%s was answered with neither a task nor a message%s", name, c.Excerpt(string(res.Body)))
	}
	if result.both {
		return nil, c.fault("%s was answered with both a task and a message, and it is not known which one holds%s", name,
			c.Excerpt(string(res.Body)))
	}
	if what := result.unread(); what != "" {
		return nil, c.fault("%s was answered with %s; what is read is text, data or a file%s", name, what,
			c.Excerpt(string(res.Body)))
	}
	c.check(result, id, reply.ID, reply.Result)
	return result, nil
}

// freeForm are the keys of answers and cards below which an object may have any keys.
var freeForm = map[string]bool{
	"data": true, "metadata": true, "params": true, "security": true, "securitySchemes": true, "header": true,
}

// fault returns an error about an agent's answer.
func (c *Client) fault(format string, args ...any) error {
	if c.Name == "" {
		return fmt.Errorf(format, args...)
	}
	return fmt.Errorf("%s: "+format, append([]any{c.Name}, args...)...)
}

// NotThere reports whether an error says that there is no agent at an address.
func NotThere(err error) bool {
	status, ok := errors.AsType[*StatusError](err)
	return ok && (status.Code == http.StatusNotFound || status.Code == http.StatusMethodNotAllowed)
}
