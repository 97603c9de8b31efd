package checks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/say"
)

// a2aAgent talks to an agent over JSON-RPC for one evaluation. The official library is not used: its client brings gRPC
// along and refuses what older agents send, and its types alone slow down every start of arena. In tests its server
// answers.
type a2aAgent struct {
	*endpoint
	base  string // without a slash at its end
	token string
	known *sync.Map // base → address of the endpoint, where it is not the usual one

	calls int
}

// a2aAnswer is what an agent said in the end.
type a2aAnswer struct {
	text  string
	state a2aState // of the task; "" when it answered with a message
}

// ask sends a text and waits for the answer as long as ctx allows.
func (a *a2aAgent) ask(ctx context.Context, text string) (*a2aAnswer, error) {
	at, res, err := a.first(ctx, newA2ASend(text))
	for wait := newA2ABackoff(); ; {
		if err != nil {
			return nil, err
		}
		if answer, err := a.settled(res); answer != nil || err != nil {
			return answer, err
		}
		if !pause(ctx, wait.NextBackOff()) {
			return nil, a.fault("%w; the task is %s", context.Cause(ctx), res.state())
		}
		res, err = a.rpc(ctx, at, "tasks/get", a2aQuery{res.ID}, true)
	}
}

// settled is the answer that a result holds; nil without an error while the task goes on.
func (a *a2aAgent) settled(res *a2aResult) (*a2aAnswer, error) {
	answer := &a2aAnswer{text: res.text(), state: res.state()}
	switch {
	case res.Status == nil && answer.text == "":
		return nil, a.fault("the message has no text")
	case res.Status == nil:
		return answer, nil
	}
	goesOn := answer.state == a2aSubmitted || answer.state == a2aWorking
	switch {
	case goesOn && res.ID == "":
		return nil, a.fault("the task is %s and has no id by which to ask for it", answer.state)
	case goesOn:
		return nil, nil
	case answer.state != a2aCompleted:
		return nil, a.fault("the task is %s and not completed%s", say.Named(string(answer.state)), a.excerpt(answer.text))
	case answer.text == "":
		return nil, a.fault("the completed task has no text")
	}
	return answer, nil
}

func (a *a2aAgent) fault(format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{a.written}, args...)...)
}

// newA2ABackoff says how long to wait between two looks at a task.
func newA2ABackoff() backoff.BackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.RandomizationFactor = 100*time.Millisecond, 2*time.Second, 0
	return b
}

// first sends the message to the usual endpoint and, where there is none, to that of the agent card. It returns the
// address that answered.
func (a *a2aAgent) first(ctx context.Context, params any) (at string, res *a2aResult, err error) {
	at = a.base + "/a2a"
	if known, ok := a.known.Load(a.base); ok {
		at = known.(string)
	}
	res, err = a.rpc(ctx, at, "message/send", params, false)
	var status *statusError
	if !errors.As(err, &status) || status.code != http.StatusNotFound && status.code != http.StatusMethodNotAllowed {
		return at, res, err
	}
	at, found := a.discover(ctx)
	if found != nil {
		return at, nil, fmt.Errorf("%w, and %w", err, found)
	}
	res, err = a.rpc(ctx, at, "message/send", params, false)
	if err == nil {
		a.known.Store(a.base, at)
	}
	return at, res, err
}

// statusError is an answer with another status than 200.
type statusError struct {
	error
	code int
}

func (e *statusError) Unwrap() error { return e.error }

type rpcRequest struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

type rpcResponse struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// rpc calls a method of the agent.
func (a *a2aAgent) rpc(ctx context.Context, at, method string, params any, repeatable bool) (*a2aResult, error) {
	a.calls++
	body, err := wire(rpcRequest{"2.0", a.calls, method, params})
	if err != nil {
		return nil, err
	}
	res, err := a.do(ctx, &call{
		method: http.MethodPost, url: at, header: a.header(), body: body, repeatable: repeatable,
	})
	if err != nil {
		return nil, err
	}
	if res.status != http.StatusOK {
		return nil, &statusError{a.refused(res), res.status}
	}
	var reply rpcResponse
	if err := json.Unmarshal(res.body, &reply); err != nil {
		return nil, a.fault("%s was not answered with JSON-RPC%s", method, a.excerpt(string(res.body)))
	}
	if e := reply.Error; e != nil {
		return nil, a.fault("%s failed with error %d%s", method, e.Code, a.excerpt(e.Message))
	}
	var result a2aResult
	if err := json.Unmarshal(reply.Result, &result); err != nil || result.Status == nil && result.Parts == nil {
		return nil, a.fault("%s was answered with neither a task nor a message%s", method, a.excerpt(string(res.body)))
	}
	return &result, nil
}

func (a *a2aAgent) header() http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	if a.token != "" {
		h.Set("Authorization", "Bearer "+a.token)
	}
	return h
}

// a2aCard is what of an agent card says where the agent is.
type a2aCard struct {
	URL        string `json:"url"`
	Transport  string `json:"preferredTransport"`
	Interfaces []struct {
		URL       string `json:"url"`
		Transport string `json:"transport"`
	} `json:"additionalInterfaces"`
}

// jsonRPC is the name of this transport on a card; a card that names none means it.
const jsonRPC = "JSONRPC"

// discover reads the agent card and returns the address of the agent's JSON-RPC endpoint.
func (a *a2aAgent) discover(ctx context.Context) (string, error) {
	for _, path := range []string{"/.well-known/agent-card.json", "/.well-known/agent.json"} {
		res, err := a.do(ctx, &call{method: http.MethodGet, url: a.base + path, header: a.header(), repeatable: true})
		if err != nil {
			return "", err
		}
		if res.status != http.StatusOK {
			continue
		}
		var card a2aCard
		if err := json.Unmarshal(res.body, &card); err != nil {
			return "", errors.New("its agent card is not JSON" + a.excerpt(string(res.body)))
		}
		return a.located(&card, path)
	}
	return "", errors.New("there is no agent card that says where else to ask")
}

// located is the address on a card. A token goes nowhere but to the host for which it was written.
func (a *a2aAgent) located(card *a2aCard, path string) (string, error) {
	at := ""
	if card.Transport == "" || card.Transport == jsonRPC {
		at = card.URL
	}
	for _, other := range card.Interfaces {
		if at == "" && other.Transport == jsonRPC {
			at = other.URL
		}
	}
	if at == "" {
		return "", errors.New("its agent card names no JSON-RPC endpoint")
	}
	home, err := url.Parse(a.base + path)
	if err != nil {
		return "", err
	}
	found, err := home.Parse(at)
	if err != nil || callable(found.String()) != nil {
		return "", errors.New("its agent card names an endpoint that cannot be called" + a.excerpt(at))
	}
	if !dial.SameHost(home, found) && (a.token != "" || home.Scheme == "https" && found.Scheme != "https") {
		return "", fmt.Errorf("its agent card names an endpoint at another host, %s, to which the auth_token does not go",
			say.Named(found.Host))
	}
	return found.String(), nil
}
