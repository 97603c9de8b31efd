package wire

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/providers"
)

// Later is a Codec of an API whose calls start an operation. The reply is available when the operation has ended.
type Later interface {
	Codec
	// Next reads a response of the server: to the call itself (last is nil), or to the last question. It returns the
	// next question; nil: the operation has ended, and data is for Decode.
	Next(c *Call, data []byte, last *Question) (*Question, error)
}

// Question asks for the status of an operation.
type Question struct {
	Operation   string // its validated name, which may be shown
	Method, URL string
	Body        []byte
}

// Waits between two questions, and after a failed question, if the server does not say how long to wait.
const (
	firstWait    = 500 * time.Millisecond
	longestWait  = 10 * time.Second
	mostFailures = 5 // in a row
)

// laterTimeout is the cause when an operation took too long.
type laterTimeout struct {
	limit     time.Duration
	operation string
}

func (e laterTimeout) Error() string {
	return fmt.Sprintf("timeout: what the model makes was not ready after %s (request_timeout); the server may go on "+
		"with it, and charge for it: operation %s", seconds(e.limit), e.operation)
}

// await polls an operation until it has ended, and returns the server's last response.
func (c *Call) await(codec Later, data []byte) ([]byte, error) {
	var q *Question
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		next, err := codec.Next(c, data, q)
		switch {
		case err != nil:
			return data, Paid(err)
		case next == nil:
			return data, nil
		case q == nil:
			var why error = laterTimeout{c.request, next.Operation}
			c.watch.allow(c.request, &why)
		}
		q = next
		if err := pause.For(c.watch.ctx, cmp.Or(retryAfter(c.Header, c.now), wait)); err != nil {
			return nil, err
		}
		err = c.insist(func() (err error) {
			data, err = c.question(q)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
}

// question makes one status call with a time limit of its own. The context of c ends it too.
func (c *Call) question(q *Question) (answer []byte, err error) {
	err = c.elsewhere(q.Method, q.URL).Fetch(c.watch.ctx, nil, q.Body, func(asked *Call, data []byte) error {
		c.Header, answer = asked.Header, data
		return nil
	})
	return answer, err
}

// elsewhere returns the client for one call to another address of the same server.
func (c *Client) elsewhere(method, address string) *Client {
	own := c.At(address, c.endpoint.Header.Clone())
	if own.endpoint.Method = method; method == http.MethodGet {
		own.endpoint.Header.Del("Content-Type")
	}
	own.request = min(c.request, defaultRequestTimeout)
	return own
}

// insist repeats a call about a running operation while its failures are temporary. The final error is not retried,
// because a new operation would have to be paid for again.
func (c *Call) insist(do func() error) error {
	wait := firstWait
	for failures := 1; ; failures++ {
		err := do()
		failed, ok := errors.AsType[*providers.Error](err)
		if err == nil || !ok || !failed.Temporary() || failures == mostFailures {
			return Paid(err)
		}
		if err := pause.For(c.watch.ctx, cmp.Or(failed.RetryAfter, wait)); err != nil {
			return err
		}
		wait = min(2*wait, longestWait)
	}
}

// Paid marks an error as final, because the server has generated something, or still does: a retry would be paid for
// again.
func Paid(err error) error {
	if failed, ok := errors.AsType[*providers.Error](err); ok {
		failed.Final = true
	}
	return err
}

// Ended is the error of an operation that failed with a code of google.rpc.
func (c *Call) Ended(code int, message string) error {
	data, err := JSON(map[string]any{"error": map[string]any{"status": rpcStatus(code), "message": message}})
	if err != nil {
		return err
	}
	return c.Reported(data)
}

// rpcStatus is the name of a code of google.rpc; "" for codes that only say that something failed.
func rpcStatus(code int) string {
	return map[int]string{
		3: "INVALID_ARGUMENT", 4: "DEADLINE_EXCEEDED", 5: "NOT_FOUND", 7: "PERMISSION_DENIED", 8: "RESOURCE_EXHAUSTED",
		9: "FAILED_PRECONDITION", 13: "INTERNAL", 14: "UNAVAILABLE", 16: "UNAUTHENTICATED",
	}[code]
}
