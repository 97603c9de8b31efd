// Package endpoint calls HTTP endpoints that give scores: with limits on time, size and redirects, and with errors that
// hold no secrets.
package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/say"
)

const (
	maxReply     = 10 << 20 // bytes of a reply
	maxRedirects = 5
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
	again := err != nil && (unsent(err) || c.Repeatable && !final(err)) ||
		err == nil && c.Repeatable && unavailable(res.Status)
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
		return nil, &finalError{"it is not an address that can be called"}
	}
	req.Header = c.Header.Clone()
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	client := *e.client
	client.CheckRedirect = redirect
	res, err := client.Do(req)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok { // its text quotes the address
			err = wrapped.Err
		}
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the reply broke off: %w", err)
	case len(body) > maxReply:
		return nil, &finalError{fmt.Sprintf("the reply is larger than %d MB", maxReply>>20)}
	}
	text, err := dial.Text(res.Header, body)
	switch {
	case err == nil:
		body = text
	case res.StatusCode >= 200 && res.StatusCode <= 299:
		return nil, &finalError{err.Error()}
	}
	return &Response{res.StatusCode, body}, nil
}

// finalError is the error of an answer that cannot be used. Another attempt would get the same answer.
type finalError struct{ text string }

func (e *finalError) Error() string { return e.text }

func final(err error) bool {
	_, ok := errors.AsType[*finalError](err)
	return ok
}

// unsent reports that no connection was made, so that nothing was sent.
func unsent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

func unavailable(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable ||
		status == http.StatusGatewayTimeout
}

// redirect follows a redirect to another address of the same host that keeps the method and the body. It refuses other
// redirects: another host must not get the conversation and the headers, and a score for an empty request means
// nothing.
func redirect(req *http.Request, via []*http.Request) error {
	from := via[len(via)-1]
	switch status := req.Response.StatusCode; {
	case len(via) > maxRedirects:
		return &finalError{fmt.Sprintf("it redirects more than %d times", maxRedirects)}
	case !dial.SameHost(from.URL, req.URL):
		return &finalError{"it redirects to another host, " + say.Named(req.URL.Host) + ", which is not followed"}
	case status == http.StatusMovedPermanently || status == http.StatusFound:
		return &finalError{fmt.Sprintf("it redirects with status %d, which loses what was sent; write the address where "+
			"it is, or let it answer %d", status, http.StatusTemporaryRedirect)}
	}
	return nil
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
