package cassette

import (
	"context"
	"encoding/json"

	"github.com/arena-evals/arena/internal/checks"
)

// outsideRequest is what a check sent to a program, an endpoint or an agent. Headers and the environment are no part of
// it, for they hold secrets.
type outsideRequest struct {
	To     string          `json:"to"` // as its author wrote it
	Method string          `json:"method,omitempty"`
	Text   Text            `json:"text,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"` // where what was sent is JSON
}

// outsideReply is what came back.
type outsideReply struct {
	Status int    `json:"status,omitempty"` // of HTTP
	State  string `json:"state,omitempty"`  // of a task
	Text   Text   `json:"text,omitempty"`
	Stderr Text   `json:"stderr,omitempty"` // the end of it
}

// Outside is what checks have in the place of programs and endpoints: these are recorded, or answered from the
// recording. nil: they are asked as they are.
func (l *Lane) Outside() checks.Outside {
	if l == nil {
		return nil
	}
	return outsider{l}
}

type outsider struct{ *Lane }

// Exchange implements checks.Outside.
func (o outsider) Exchange(
	ctx context.Context, sent checks.Sent, live func() (checks.Received, error),
) (checks.Received, error) {
	t := o.tape
	write := func(p pen) (any, []tool, error) {
		q := &outsideRequest{To: string(p.text(sent.To)), Method: sent.Method}
		if clean := p.raw(sent.Body); json.Valid(clean) {
			q.Body = clean
		} else {
			q.Text = Text(clean)
		}
		return q, nil, nil
	}
	e, err := o.ask(ctx, &question{kind: string(sent.Kind), write: write, live: func() (reply, float64, error) {
		r, err := live()
		return func(p pen) (any, error) {
			return &outsideReply{r.Status, r.State, p.text(r.Text), p.text(r.Stderr)}, nil
		}, measured, err
	}})
	if err != nil {
		return checks.Received{}, err
	}
	r, _ := e.reply.(*outsideReply)
	if r == nil {
		if r = new(outsideReply); e.failure == nil {
			return checks.Received{}, t.broke(errNoReply)
		}
	}
	return checks.Received{Status: r.Status, State: r.State, Text: string(r.Text), Stderr: string(r.Stderr)}, e.err()
}
