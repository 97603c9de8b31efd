package openai

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// excerptRunes is how much of a server's text an error shows.
const excerptRunes = 300

// failure turns whatever ended a call into what Complete may return.
func (c *call) failure(ctx context.Context, err error) error {
	if s, ok := errors.AsType[stopped](err); ok {
		return s.error
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	cause := c.watch.cause()
	switch cause.(type) { //nolint:errorlint // our own causes are never wrapped
	case noReply, silence:
		return c.fail(providers.Timeout, cause, "%v", cause)
	}
	if failed, ok := errors.AsType[*providers.Error](err); ok {
		return failed
	}
	return c.broken(err)
}

// broken is a call that the network ended.
func (c *call) broken(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // its text would repeat the whole address, query and all
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return c.fail(providers.BadReply, err, "the reply is larger than %d MiB", tooLarge.Limit>>20)
	}
	text := c.scrub.Excerpt(err.Error(), excerptRunes)
	var netErr net.Error
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return c.fail(providers.Transport, err, "the connection was cut before the reply ended")
	case errors.Is(err, syscall.ECONNREFUSED):
		return c.fail(providers.Transport, err, "cannot reach %s: connection refused%s", c.endpoint.shown, c.startHint())
	case errors.Is(err, syscall.ECONNRESET):
		return c.fail(providers.Transport, err, "the connection to %s was reset", c.endpoint.shown)
	case errors.As(err, &netErr) && netErr.Timeout():
		return c.fail(providers.Timeout, err, "timeout: cannot reach %s: %s", c.endpoint.shown, text)
	}
	failed := c.fail(providers.Transport, err, "cannot talk to %s: %s", c.endpoint.shown, text)
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		failed.Final = true
	}
	return failed
}

func (c *call) startHint() string {
	if c.endpoint.kind == typeOllama {
		return "; is it running? `ollama serve` starts it"
	}
	return ""
}

// refusal is a reply whose status is not 2xx.
func (c *call) refusal(resp *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
	if err != nil && c.watch.cause() != nil {
		return err
	}
	r := readReport(data)
	text := fmt.Sprintf("http %d", resp.StatusCode)
	if said := c.said(data, r); said != "" {
		text += ": " + said
	}
	failed := c.fail(statusKind(resp.StatusCode), err, "%s", text)
	failed.Status = resp.StatusCode
	failed.RetryAfter = retryAfter(resp.Header, c.now)
	failed.Final = r.is("insufficient_quota")
	if hint := c.hint(resp, r); hint != "" {
		failed.Msg += "; " + hint
	}
	return failed
}

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

// hint is what to do next.
func (c *call) hint(resp *http.Response, r report) string {
	switch status := resp.StatusCode; {
	case r.is("insufficient_quota"):
		return "check the plan and the billing of the account"
	case status == http.StatusUnauthorized:
		return c.endpoint.keyHint("was not accepted")
	case status == http.StatusForbidden:
		return c.endpoint.keyHint("may not do this")
	case status == http.StatusNotFound && c.endpoint.kind == typeOllama:
		return fmt.Sprintf("is the model there? `ollama pull %s` fetches it", c.model)
	case status == http.StatusNotFound:
		return fmt.Sprintf("check model %q and base_url %s", c.model, c.endpoint.shown)
	case status >= 300 && status < 400:
		return fmt.Sprintf("%s redirects to %s, which is not followed; check base_url",
			c.endpoint.shown, c.scrub.Excerpt(shown(resp.Header.Get("Location")), excerptRunes))
	case status == http.StatusBadRequest && optional[r.Param]:
		return fmt.Sprintf("list %q under unsupported_params to leave it out", r.Param)
	}
	return ""
}

var optional = map[string]bool{
	"temperature": true, "top_p": true, "seed": true, "max_tokens": true, "max_completion_tokens": true,
	"tool_choice": true, "response_format": true, "stream_options": true, "stop": true, "reasoning_effort": true,
	"parallel_tool_calls": true,
}

// unreadable is a reply with a good status that is not JSON.
func (c *call) unreadable(data []byte, err error) error {
	switch text := bytes.TrimSpace(data); {
	case len(text) == 0:
		return c.fail(providers.BadReply, err, "the reply is empty")
	case text[0] == '<':
		return c.fail(providers.BadReply, err, "the reply is an HTML page, not JSON; check base_url %s: %s",
			c.endpoint.shown, c.excerpt(text))
	case misfit(err) != "":
		return c.fail(providers.BadReply, err, "the reply does not have the expected form: %s: %s", misfit(err),
			c.excerpt(text))
	default:
		return c.fail(providers.BadReply, err, "the reply is not valid JSON, or only a part of it: %s", c.excerpt(text))
	}
}

// misfit says what of a document of JSON is of another type than it must be; "" when that is not what is wrong.
func misfit(err error) string {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return ""
	}
	what, expected := wrong.Field, "an object"
	if what == "" {
		what = "all of it"
	}
	switch wrong.Type.Kind() {
	case reflect.Slice:
		expected = "a list"
	case reflect.String:
		expected = "text"
	case reflect.Int:
		expected = "a whole number"
	case reflect.Float64:
		expected = "a number"
	default:
	}
	kind, literal, _ := strings.Cut(wrong.Value, " ")
	found := map[string]string{
		"array": "a list", "string": "text", "bool": "true or false", "object": "an object", "number": "a number",
	}[kind]
	if literal != "" && len(literal) <= 40 {
		found = literal
	}
	return fmt.Sprintf("%s must be %s, found %s", what, expected, found)
}

// reported is an error that came with a good status, as a document or within a stream.
func (c *call) reported(data []byte) error {
	r := readReport(data)
	failed := c.fail(providers.BadReply, nil, "the server reports an error: %s", c.said(data, r))
	switch status, err := strconv.Atoi(r.Code); {
	case r.is("insufficient_quota"):
		failed.Kind, failed.Final = providers.RateLimit, true
	case r.is("rate_limit_exceeded"), r.is("rate_limit_error"):
		failed.Kind = providers.RateLimit
	case r.is("content_filter"):
		failed.Kind = providers.Refused
	case err == nil && status >= 400 && status < 600: // gateways tell here what the server behind them said
		failed.Kind = statusKind(status)
	}
	return failed
}

// failed is the error that a document or a chunk is, or nil.
func (c *call) failed(a *answer, data []byte) error {
	switch {
	case isError(a.Error):
		return c.reported(a.Error)
	case a.Object == "error":
		return c.reported(data)
	}
	return nil
}

// broke is the error in which a choice ended, or nil. What came before it is no reply: the model had more to say.
func (c *call) broke(ch *choice) error {
	switch {
	case isError(ch.Error):
		return c.reported(ch.Error)
	case chat.BrokeOff(string(ch.Finish)):
		return c.fail(providers.BadReply, nil, "the server broke the reply off (finish_reason %q)",
			c.scrub.Excerpt(string(ch.Finish), excerptRunes))
	}
	return nil
}

// said is the server's own words, or the start of a body that has none.
func (c *call) said(data []byte, r report) string {
	if r.Message != "" {
		return c.scrub.Excerpt(r.Message, excerptRunes)
	}
	return c.excerpt(data)
}

func (c *call) excerpt(data []byte) string {
	if text := bytes.TrimSpace(data); len(text) > 0 && text[0] == '<' {
		if m := htmlTitle().FindSubmatch(text); m != nil {
			return "HTML page " + fmt.Sprintf("%q", c.scrub.Excerpt(string(m[1]), excerptRunes))
		}
	}
	return c.scrub.Excerpt(string(data), excerptRunes)
}

var htmlTitle = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)<title[^>]*>\s*([^<]+?)\s*</title>`)
})

// report is what a server says about an error, in one of the forms that are in use.
type report struct {
	Message, Type, Code, Param string
}

func (r report) is(code string) bool { return r.Code == code || r.Type == code }

// readReport understands {"error": {"message": …}}, {"error": "…"}, {"message": …}, {"detail": …} and lists of these.
func readReport(data []byte) report {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return report{}
	}
	return reportOf(v)
}

func reportOf(v any) report {
	switch v := v.(type) {
	case string:
		return report{Message: v}
	case []any:
		if len(v) > 0 {
			return reportOf(v[0])
		}
	case map[string]any:
		r := report{Type: scalar(v["type"]), Code: scalar(v["code"]), Param: scalar(v["param"])}
		for _, key := range []string{"error", "message", "detail", "msg", "errors"} {
			if inner := reportOf(v[key]); inner.Message != "" {
				return report{
					inner.Message, or(inner.Type, r.Type), or(inner.Code, r.Code), or(inner.Param, r.Param),
				}
			}
		}
		return r
	}
	return report{}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return fmt.Sprint(v)
	}
	return ""
}

// isDocument reports whether the answer to a streamed request is one document: an error, a page, or the reply of a
// server that does not stream.
func isDocument(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return false
	}
	return kind == "application/json" || kind == "text/html" || strings.HasSuffix(kind, "+json")
}
