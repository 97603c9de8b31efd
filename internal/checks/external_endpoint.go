package checks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/grading"
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

// endpoint is an HTTP endpoint in one evaluation. Its errors name the address as the author wrote it, without secrets.
type endpoint struct {
	client  *http.Client
	written string // the address with ${NAME}
	scrub   *providers.Scrubber
}

func newEndpoint(h *Host, written address, secrets []string) *endpoint {
	scrub := providers.NewScrubber(secrets...)
	return &endpoint{client: h.HTTP, written: scrub.Text(string(written)), scrub: scrub}
}

// call is one request.
type call struct {
	method, url string
	header      http.Header
	body        []byte
	// repeatable says that sending it twice does no harm.
	repeatable bool
}

type response struct {
	status int
	body   []byte
}

// do sends a request and reads the whole reply, until ctx ends. It repeats a request once when no connection was made,
// or when a repeatable request failed.
func (e *endpoint) do(ctx context.Context, c *call) (*response, error) {
	res, err := e.attempt(ctx, c)
	again := err != nil && (unsent(err) || c.repeatable && !final(err)) ||
		err == nil && c.repeatable && unavailable(res.status)
	if again && pause.For(ctx, retryPause) == nil {
		res, err = e.attempt(ctx, c)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.written, e.clean(err))
	}
	return res, nil
}

// received is do as checks use it.
func (e *endpoint) received(ctx context.Context, c *call) (Received, error) {
	res, err := e.do(ctx, c)
	if err != nil {
		return Received{}, err
	}
	return Received{Status: res.status, Text: string(res.body)}, nil
}

func (e *endpoint) attempt(ctx context.Context, c *call) (*response, error) {
	req, err := http.NewRequestWithContext(ctx, c.method, c.url, bytes.NewReader(c.body))
	if err != nil {
		return nil, &finalError{"it is not an address that can be called"}
	}
	req.Header = c.header.Clone()
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
	return &response{res.StatusCode, body}, nil
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

// clean returns an error without secrets, on one line. It keeps the causes that callers test for.
func (e *endpoint) clean(err error) error {
	if _, ours := errors.AsType[timeoutError](err); ours || errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New(e.scrub.Excerpt(err.Error(), say.ContentLimit))
}

// refused is the error of an unexpected status.
func (e *endpoint) refused(res *response) error {
	text := fmt.Sprintf("%s: status %d", e.written, res.status)
	if name := http.StatusText(res.status); name != "" {
		text += " " + name
	}
	return errors.New(text + e.excerpt(string(res.body)))
}

// excerpt is the start of a received text, for the end of an error.
func (e *endpoint) excerpt(text string) string {
	text = e.scrub.Excerpt(text, excerptLimit)
	if text == "" {
		return ""
	}
	return ": " + fmt.Sprintf("%q", text)
}

// graded reads an agent's answer to a message.
func (e *endpoint) graded(text, message string) (Finding, error) {
	return e.finding(text, func(text string) (grading.Opinion, error) { return grading.ReadEvaluation(text, message) })
}

// scored reads an endpoint's answer.
func (e *endpoint) scored(text string) (Finding, error) {
	return e.finding(text, func(text string) (grading.Opinion, error) {
		if strings.TrimSpace(text) == "" {
			return grading.Opinion{}, errors.New("it is empty")
		}
		_, o, err := grading.OneAnswer(text)
		if _, wrong := errors.AsType[*grading.NotOneObject](err); wrong {
			return o, fmt.Errorf("it is %w", err)
		}
		return o, err
	})
}

func (e *endpoint) finding(text string, read func(string) (grading.Opinion, error)) (Finding, error) {
	text = e.scrub.Text(strings.ToValidUTF8(text, "\uFFFD"))
	o, err := read(text)
	if err != nil {
		return Finding{}, fmt.Errorf("%s: the reply cannot be used: %w%s", e.written, err, e.excerpt(text))
	}
	return Finding{
		Score: o.Score, Explanation: reason(o.Reasoning, "the endpoint gave no reason"),
		Details: Details{"score": o.Score, "reasoning": say.Kept(o.Reasoning)},
	}, nil
}
