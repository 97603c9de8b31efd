package cassette

import (
	"context"
	"encoding/json"

	"github.com/arena-evals/arena/internal/checks"
)

// outsideRequest is a request of a check to a program, an endpoint or an agent. Headers and environment are left out:
// they hold secrets.
type outsideRequest struct {
	To     string          `json:"to"` // as written in the check
	Method string          `json:"method,omitempty"`
	Text   Text            `json:"text,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"` // for JSON
}

// outsideReply is the answer.
type outsideReply struct {
	Status int    `json:"status,omitempty"` // HTTP status
	State  string `json:"state,omitempty"`  // state of an agent's task
	Text   Text   `json:"text,omitempty"`
	Stderr Text   `json:"stderr,omitempty"` // its last part
}

// Outside records the calls of checks to programs, endpoints and agents, or replays them. A nil lane calls them
// directly.
func (l *Lane) Outside() checks.Outside {
	if l == nil {
		return nil
	}
	return recordedOutside{l}
}

type recordedOutside struct{ *Lane }

// Exchange implements checks.Outside.
func (o recordedOutside) Exchange(
	ctx context.Context, sent checks.Sent, live func() (checks.Received, error),
) (checks.Received, error) {
	rec := o.recorder
	write := func(enc encoder) (any, []tool, error) {
		q := &outsideRequest{To: string(enc.text(sent.To)), Method: sent.Method}
		if clean := enc.raw(sent.Body); json.Valid(clean) {
			q.Body = clean
		} else {
			q.Text = Text(clean)
		}
		return q, nil, nil
	}
	send := func() (replyEncoder, float64, error) {
		r, err := live()
		return func(enc encoder) (any, error) {
			return &outsideReply{r.Status, r.State, enc.text(r.Text), enc.text(r.Stderr)}, nil
		}, measureTime, err
	}
	e, err := o.exchange(ctx, &question{kind: string(sent.Kind), encode: write, send: send})
	if err != nil {
		return checks.Received{}, err
	}
	r, _ := e.reply.(*outsideReply)
	if r == nil {
		if r = new(outsideReply); e.failure == nil {
			return checks.Received{}, rec.fail(errNoReply)
		}
	}
	return checks.Received{Status: r.Status, State: r.State, Text: string(r.Text), Stderr: string(r.Stderr)}, e.err()
}
