package dial

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/arena-evals/arena/internal/ellipsis"
)

const maxRedirects = 5

// Reply is a complete response.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// FinalError is the error of an answer that cannot be used. Another attempt would get the same answer.
type FinalError struct{ Text string }

func (e *FinalError) Error() string { return e.Text }

// Final reports that an error is a FinalError.
func Final(err error) bool {
	_, ok := errors.AsType[*FinalError](err)
	return ok
}

// Fetch sends a request and reads the whole reply, of at most limit MB. It follows redirects within the host only, with
// the complete request: no other host, especially an internal one, gets the body or the headers. A header Host is used.
// Errors do not contain the address and its possible secrets.
func Fetch(client *http.Client, req *http.Request, limit int64) (*Reply, error) {
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	inside := *client
	inside.CheckRedirect = redirect
	res, err := inside.Do(req)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok { // its text holds the address
			err = wrapped.Err
		}
		return nil, err
	}
	defer res.Body.Close() // it was read
	body, err := io.ReadAll(io.LimitReader(res.Body, limit<<20+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the reply broke off: %w", err)
	case int64(len(body)) > limit<<20:
		return nil, &FinalError{fmt.Sprintf("the reply is larger than %d MB", limit)}
	}
	return &Reply{res.StatusCode, res.Header, body}, nil
}

func redirect(req *http.Request, via []*http.Request) error {
	from := via[len(via)-1]
	switch {
	case len(via) > maxRedirects:
		return &FinalError{fmt.Sprintf("it redirects more than %d times", maxRedirects)}
	case !SameHost(from.URL, req.URL):
		return &FinalError{fmt.Sprintf("it redirects to another host, %q, which is not followed",
			ellipsis.Runes(req.URL.Host, 100))}
	case req.Method != from.Method:
		return &FinalError{fmt.Sprintf("it redirects with status %d, which loses what was sent; write the address where "+
			"it is, or let it answer %d", req.Response.StatusCode, http.StatusTemporaryRedirect)}
	}
	return nil
}

// Unsent reports that no connection came about, so that nothing was sent, and that another one may.
func Unsent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial" && !errors.Is(err, ErrOffline)
}

// Unavailable reports whether a status says that a server is temporarily unavailable.
func Unavailable(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable ||
		status == http.StatusGatewayTimeout
}
