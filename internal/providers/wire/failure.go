package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"syscall"

	"github.com/arena-evals/arena/internal/providers"
)

// failure converts the error that ended a call to an error that Complete may return.
func (c *Call) failure(ctx context.Context, err error) error {
	if s, ok := errors.AsType[onDeltaError](err); ok {
		return s.error
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	cause := c.watch.cause()
	switch cause.(type) { //nolint:errorlint // our own causes are never wrapped
	case replyTimeout, idleTimeout:
		return c.Fail(providers.Timeout, cause, "%v", cause)
	case laterTimeout:
		return Paid(c.Fail(providers.Timeout, cause, "%v", cause))
	}
	if failed, ok := errors.AsType[*providers.Error](err); ok {
		return failed
	}
	return c.broken(err)
}

// broken is the error of a call that a network failure ended.
func (c *Call) broken(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // the outer text would repeat the whole address with its query
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return c.Fail(providers.BadReply, err, "the reply is larger than %d MiB", tooLarge.Limit>>20)
	}
	if stray, ok := errors.AsType[*strayLineError](err); ok {
		return c.Fail(providers.BadReply, err, "%v: %s", err, c.Excerpt(string(stray.line)))
	}
	text := c.Excerpt(err.Error())
	var netErr net.Error
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return c.Fail(providers.Transport, err, "the connection was cut before the reply ended")
	case errors.Is(err, syscall.ECONNREFUSED):
		return c.Fail(providers.Transport, err, "cannot reach %s: connection refused%s", c.shown, c.startHint())
	case errors.Is(err, syscall.ECONNRESET):
		return c.Fail(providers.Transport, err, "the connection to %s was reset", c.shown)
	case errors.As(err, &netErr) && netErr.Timeout():
		return c.Fail(providers.Timeout, err, "timeout: cannot reach %s: %s", c.shown, text)
	}
	if lookup, ok := errors.AsType[*net.DNSError](err); ok && lookup.IsNotFound {
		return c.Fail(providers.Transport, err, "cannot reach %s: there is no host %s; check the address, and the network",
			c.shown, c.Excerpt(lookup.Name))
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		failed := c.Fail(providers.Transport, err, "cannot talk to %s: the server speaks no TLS; write http:// in %s",
			c.shown, c.endpoint.setting())
		failed.Final = true
		return failed
	}
	failed := c.Fail(providers.Transport, err, "cannot talk to %s: %s", c.shown, text)
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		failed.Final = true
	}
	return failed
}

// refusal is the error of a response whose status is not 2xx.
func (c *Call) refusal(resp *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
	if err != nil && c.watch.cause() != nil {
		return err
	}
	r := readReport(data)
	text := fmt.Sprintf("http %d", resp.StatusCode)
	if reply := c.serverMessage(data, r); reply != "" {
		text += ": " + reply
	}
	failed := c.Fail(statusKind(resp.StatusCode), err, "%s", text)
	failed.Status = resp.StatusCode
	failed.RetryAfter = cmp.Or(retryAfter(resp.Header, c.now), r.RetryAfter)
	failed.Final = r.Is(spentQuota)
	if hint := c.hint(resp, r); hint != "" {
		failed.Msg += "; " + hint
	}
	return failed
}

// spentQuota is the code of an account without money. Another attempt is useless.
const spentQuota = "insufficient_quota"

// statusKind is the kind of error for an HTTP status.
func statusKind(status int) providers.Kind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		return providers.Auth
	case status == http.StatusTooManyRequests:
		return providers.RateLimit
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return providers.Timeout
	case status >= 500, status == http.StatusConflict, status == http.StatusTooEarly:
		return providers.Transport
	}
	return providers.Refused
}

// codeKind is the kind of error for the code in a server's error report; ok is false for an unknown code. Gateways put
// the status of the server behind them there.
func codeKind(r Report) (kind providers.Kind, ok bool) {
	switch status, err := strconv.Atoi(r.Code); {
	case r.Is(spentQuota), r.Is("rate_limit_exceeded"), r.Is("rate_limit_error"):
		return providers.RateLimit, true
	case r.Is("content_filter"):
		return providers.Refused, true
	case err == nil && status >= 400 && status < 600:
		return statusKind(status), true
	}
	for _, n := range namedKinds() {
		if slices.ContainsFunc(n.words, r.Is) {
			return n.kind, true
		}
	}
	return "", false
}

// namedKinds maps error names of vendors to kinds. An error within a stream has a name but no status.
func namedKinds() []namedKind {
	return []namedKind{
		{providers.Auth, []string{
			"authentication_error", "permission_error", "billing_error", "UNAUTHENTICATED", "PERMISSION_DENIED",
		}},
		{providers.RateLimit, []string{"RESOURCE_EXHAUSTED"}},
		{providers.Timeout, []string{"timeout_error", "DEADLINE_EXCEEDED"}},
		{providers.Transport, []string{"overloaded_error", "api_error", "UNAVAILABLE", "INTERNAL"}},
		{providers.Refused, []string{
			"invalid_request_error", "not_found_error", "request_too_large", "INVALID_ARGUMENT", "FAILED_PRECONDITION",
			"NOT_FOUND",
		}},
	}
}

type namedKind struct {
	kind  providers.Kind
	words []string
}

// Reported is the error in a successful response: a document, or an event of a stream.
func (c *Call) Reported(data []byte) error {
	r := readReport(data)
	failed := c.Fail(providers.BadReply, nil, "the server reports an error: %s", c.serverMessage(data, r))
	failed.RetryAfter = r.RetryAfter
	if kind, ok := codeKind(r); ok {
		failed.Kind, failed.Final = kind, r.Is(spentQuota)
	}
	return failed
}

// hint says what to do about a refused call.
func (c *Call) hint(resp *http.Response, r Report) string {
	if r.Is(spentQuota) {
		return "check the plan and the billing of the account"
	}
	if c.endpoint.Hint != nil {
		if own := c.endpoint.Hint(resp.StatusCode, r); own != "" {
			return own
		}
	}
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized:
		return c.endpoint.keyHint("was not accepted")
	case status == http.StatusForbidden:
		return c.endpoint.keyHint("may not do this")
	case status == http.StatusNotFound:
		return fmt.Sprintf("check model %q and %s %s", c.model, c.endpoint.setting(), c.shown)
	case status >= 300 && status < 400 && resp.Header.Get("Location") == "":
		return c.shown + " answers without a reply and names no other address; check " + c.endpoint.setting() +
			", and any proxy in between"
	case status >= 300 && status < 400:
		return fmt.Sprintf("%s redirects to %s, which is not followed; check %s", c.shown,
			c.Excerpt(c.show(resp.Header.Get("Location"))), c.endpoint.setting())
	}
	return ""
}

func (c *Call) startHint() string {
	if c.endpoint.Start == "" {
		return "; is the server running?"
	}
	return "; is it running? " + c.endpoint.Start
}
