package endpoint

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/say"
)

// Agent is an agent that is asked over A2A in one evaluation. It is safe for concurrent use.
type Agent struct {
	*Endpoint
	client *a2a.Client
	token  string
	known  *sync.Map // base → a2a.Endpoint, for agents with an endpoint other than the usual one
}

// NewAgent returns the agent at an address. known remembers, over the agents of a run, those with an endpoint other
// than the usual one.
func NewAgent(e *Endpoint, base, token string, known *sync.Map) *Agent {
	a := &Agent{Endpoint: e, token: token, known: known}
	a.client = &a2a.Client{Name: e.Written, Base: base, Do: a.send, Excerpt: e.Excerpt, Pause: pause.For}
	if token != "" {
		a.client.Secret = "the auth_token"
	}
	return a
}

// Answer is the final answer of an agent.
type Answer struct {
	Text  string
	State a2a.State // of the task; "" when it answered with a message
}

// Ask sends a text and waits for the answer until ctx ends.
func (a *Agent) Ask(ctx context.Context, text string) (*Answer, error) {
	at, res, err := a.first(ctx, &a2a.Message{Parts: []a2a.Part{{Text: text}}})
	if err == nil {
		res, err = a.client.Await(ctx, at, res)
	}
	if err != nil {
		return nil, err
	}
	answer := &Answer{Text: answerText(res), State: res.State()}
	switch {
	case !res.IsTask() && answer.Text == "":
		return nil, a.fault("the message has no text")
	case res.IsTask() && answer.State != a2a.Completed:
		return nil, a.fault("the task is %s and not completed%s", say.Named(string(answer.State)), a.Excerpt(answer.Text))
	case answer.Text == "":
		return nil, a.fault("the completed task has no text")
	case res.Doubt() != "":
		return nil, a.fault("%s", res.Doubt())
	}
	return answer, nil
}

// answerText is the text of a message or a task: that of the task's status, else of the first artifact with text.
func answerText(res *a2a.Result) string {
	said := [][]a2a.Part{res.Parts}
	if res.IsTask() {
		said = [][]a2a.Part{res.Said()}
		for _, artifact := range res.Artifacts {
			said = append(said, artifact.Parts)
		}
	}
	for _, parts := range said {
		if text := strings.Join(a2a.Texts(parts), "\n"); text != "" {
			return text
		}
	}
	return ""
}

func (a *Agent) fault(format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{a.Written}, args...)...)
}

// first sends the message to the usual endpoint and, where there is none, to that of the agent card. It returns the
// endpoint that answered.
func (a *Agent) first(ctx context.Context, m *a2a.Message) (at a2a.Endpoint, res *a2a.Result, err error) {
	at = a.client.Usual()
	if known, ok := a.known.Load(a.client.Base); ok {
		at = known.(a2a.Endpoint)
	}
	res, err = a.client.Send(ctx, at, m)
	if !a2a.NotThere(err) {
		return at, res, err
	}
	at, found := a.discover(ctx)
	if found != nil {
		return at, nil, fmt.Errorf("%w, and %w", err, found)
	}
	res, err = a.client.Send(ctx, at, m)
	if err == nil {
		a.known.Store(a.client.Base, at)
	}
	return at, res, err
}

// discover reads the agent card and returns the agent's JSON-RPC endpoint.
func (a *Agent) discover(ctx context.Context) (a2a.Endpoint, error) {
	card, err := a.client.Card(ctx)
	switch {
	case err != nil:
		return a2a.Endpoint{}, err
	case card == nil:
		return a2a.Endpoint{}, errors.New("there is no agent card that says where else to ask")
	}
	at, found, err := a.client.Endpoint(card)
	if err == nil && !found {
		err = errors.New("its agent card names no JSON-RPC endpoint")
	}
	return at, err
}

// send implements a2a.Client.Do.
func (a *Agent) send(ctx context.Context, r *a2a.Request) (*a2a.Response, error) {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	if a.token != "" {
		h.Set("Authorization", "Bearer "+a.token)
	}
	if r.Newer {
		h.Set("A2A-Version", "1.0")
	}
	res, err := a.Do(ctx, &Call{Method: r.Method, URL: r.URL, Header: h, Body: r.Body, Repeatable: r.Repeatable})
	if err != nil {
		return nil, err
	}
	return &a2a.Response{Status: res.Status, Body: res.Body}, nil
}
