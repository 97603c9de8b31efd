package a2a

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/scenario"
)

const (
	maxReply   = 10 // MB
	retries    = 3
	firstPause = 200 * time.Millisecond
	mostPause  = 30 * time.Second // the longest wait that a server can ask for
	shown      = 2000             // characters of an agent's text in an error
)

// link sends the requests to an agent.
type link struct {
	spec   *scenario.Agent
	client *http.Client
	getenv func(string) (string, bool)
	pause  func(ctx context.Context, d time.Duration) error
}

// secret names the part of the requests that is only for the agent's host; "": none.
func (l *link) secret() string {
	u, err := url.Parse(l.spec.URL)
	switch {
	case l.spec.Scheme != "":
		return "the token"
	case len(l.spec.Headers)+len(l.spec.FromEnv) > 0:
		return "what stands under headers"
	case err == nil && u.User != nil:
		return "the password in the address"
	}
	return ""
}

// do implements a2a.Client.Do. It repeats requests that failed, up to a limit.
func (l *link) do(ctx context.Context, r *a2a.Request) (*a2a.Response, error) {
	if l.client == nil {
		return nil, errors.New("there is no network here")
	}
	for _, unset := range l.spec.Unset { // the plan has reported it, unless no call was planned
		return nil, fmt.Errorf("the environment has no %s", unset.Name)
	}
	header, err := l.header(r)
	if err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		got, err := l.once(ctx, r, header)
		again := dial.Unsent(err) || err == nil && (got.Status == http.StatusTooManyRequests || dial.Unavailable(got.Status))
		switch {
		case again && try < retries && l.pause(ctx, wait(try, got)) == nil:
			continue
		case err != nil && ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, err
		}
		body, err := dial.Text(got.Header, got.Body)
		if err != nil && got.Status == http.StatusOK {
			return nil, err
		} else if err != nil {
			body = got.Body
		}
		return &a2a.Response{Status: got.Status, Body: body}, nil
	}
}

func (l *link) once(ctx context.Context, r *a2a.Request, header http.Header) (*dial.Reply, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, errors.New("it is not an address that can be called")
	}
	req.Header = header.Clone()
	return dial.Fetch(l.client, req, maxReply)
}

// wait is the time before the next attempt: longer each time, or as long as the server asks for.
func wait(try int, got *dial.Reply) time.Duration {
	span := firstPause << try
	if got == nil {
		return span
	}
	if seconds, err := strconv.Atoi(got.Header.Get("Retry-After")); err == nil && seconds > 0 {
		span = max(span, min(time.Duration(seconds)*time.Second, mostPause))
	}
	return span
}

// header returns the headers of a request: those of the file, those of the environment, and the token.
func (l *link) header(r *a2a.Request) (http.Header, error) {
	h := http.Header{"Accept": {"application/json"}}
	if r.Body != nil {
		h.Set("Content-Type", "application/json")
	}
	if r.Newer {
		h.Set("A2A-Version", "1.0")
	}
	for name, value := range l.spec.Headers {
		h.Set(name, value)
	}
	for _, from := range l.spec.FromEnv {
		value, err := l.variable(from)
		if err != nil {
			return nil, err
		}
		h.Set(from.Name, value)
	}
	if l.spec.Scheme == "" {
		return h, nil
	}
	token := l.spec.Token
	if l.spec.TokenFrom.Variable != "" {
		var err error
		if token, err = l.variable(l.spec.TokenFrom); err != nil {
			return nil, err
		}
	}
	h.Set("Authorization", l.spec.Scheme+" "+strings.TrimSpace(token))
	return h, nil
}

func (l *link) variable(from scenario.EnvHeader) (string, error) {
	if l.getenv != nil {
		if value, set := l.getenv(from.Variable); set {
			return value, nil
		}
	}
	return "", fmt.Errorf("header %s: the environment has no %s", from.Name, from.Variable)
}

// excerpt implements a2a.Client.Excerpt.
func excerpt(text string) string {
	runes := []rune(strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")))
	if len(runes) == 0 {
		return ""
	}
	if len(runes) > shown {
		runes = append(runes[:shown], '…')
	}
	return ": " + string(runes)
}
