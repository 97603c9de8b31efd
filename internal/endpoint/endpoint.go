// Package endpoint calls HTTP endpoints that return scores: with limits on time, size and redirects, and with errors
// without secrets.
package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/say"
)

const (
	maxReply     = 10 // MB of a reply
	retryPause   = 200 * time.Millisecond
	excerptLimit = 200 // characters of a reply in an error
)

// Endpoint is an HTTP endpoint in one evaluation. It is safe for concurrent use.
type Endpoint struct {
	Written string              // its address with ${NAME}, as the author wrote it, without secrets; errors name it
	Scrub   *providers.Scrubber // takes the secrets out of what comes from it

	client *http.Client
}

// New returns the endpoint of an address as the author wrote it. None of the secrets is shown.
func New(client *http.Client, written string, secrets ...string) *Endpoint {
	scrub := providers.NewScrubber(secrets...)
	return &Endpoint{scrub.Text(written), scrub, client}
}

// Call is one request.
type Call struct {
	Method, URL string
	Header      http.Header
	Body        []byte
	Repeatable  bool // sending it twice does no harm
}

// Response is the answer, whatever its status. Its body may hold secrets.
type Response struct {
	Status int
	Body   []byte
}

// Do sends a request and reads the whole reply, until ctx ends. It repeats a request once when no connection was made,
// or when a repeatable request failed. Once ctx has ended, the error wraps its cause.
func (e *Endpoint) Do(ctx context.Context, c *Call) (*Response, error) {
	res, err := e.attempt(ctx, c)
	again := err != nil && (dial.Unsent(err) || c.Repeatable && !dial.Final(err)) ||
		err == nil && c.Repeatable && dial.Unavailable(res.Status)
	if again && pause.For(ctx, retryPause) == nil {
		res, err = e.attempt(ctx, c)
	}
	switch {
	case err == nil:
		return res, nil
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	default:
		err = errors.New(e.Scrub.Excerpt(err.Error(), say.ContentLimit)) // on one line
	}
	return nil, fmt.Errorf("%s: %w", e.Written, err)
}

func (e *Endpoint) attempt(ctx context.Context, c *Call) (*Response, error) {
	req, err := http.NewRequestWithContext(ctx, c.Method, c.URL, bytes.NewReader(c.Body))
	if err != nil {
		return nil, &dial.FinalError{Text: "it is not an address that can be called"}
	}
	req.Header = c.Header.Clone()
	res, err := dial.Fetch(e.client, req, maxReply)
	if err != nil {
		return nil, err
	}
	body := res.Body
	text, err := dial.Text(res.Header, body)
	switch {
	case err == nil:
		body = text
	case res.Status >= 200 && res.Status <= 299:
		return nil, &dial.FinalError{Text: err.Error()}
	}
	return &Response{res.Status, body}, nil
}

// Refused is the error of an unexpected status.
func (e *Endpoint) Refused(res *Response) error {
	text := fmt.Sprintf("%s: status %d", e.Written, res.Status)
	if name := http.StatusText(res.Status); name != "" {
		text += " " + name
	}
	return errors.New(text + e.Excerpt(string(res.Body)))
}

// Excerpt is the start of a received text, quoted, for the end of an error; "" when there is none.
func (e *Endpoint) Excerpt(text string) string {
	text = e.Scrub.Excerpt(text, excerptLimit)
	if text == "" {
		return ""
	}
	return ": " + fmt.Sprintf("%q", text)
}
