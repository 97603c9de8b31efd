package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/report/show"
)

// The waits between attempts, and the time limit of one batch.
const (
	firstWait     = 250 * time.Millisecond
	longestWait   = 5 * time.Second
	maxRetryAfter = 15 * time.Second // the longest wait that a collector can ask for
	batchLimit    = 45 * time.Second
	// attemptsToReach is the number of attempts for a collector that has never answered: most likely none is running.
	attemptsToReach = 3

	replyLimit   = 64 << 10
	messageLimit = 200 // characters of a collector's message
)

// refusal is an answer without success.
type refusal struct {
	status     int
	message    string
	retryAfter time.Duration // -1: do not retry
}

func (r *refusal) Error() string {
	text := fmt.Sprintf("HTTP %d %s", r.status, http.StatusText(r.status))
	if r.message != "" {
		text += ": " + r.message
	}
	return strings.TrimSpace(text)
}

// send delivers a body, with retries, and returns how many of its spans the collector refused.
func (x *Exporter) send(ctx context.Context, body []byte) (rejected int, err error) {
	ctx, cancel := context.WithTimeout(ctx, max(batchLimit, x.config.Timeout))
	defer cancel()
	wait := firstWait
	for attempts := 1; ; attempts++ {
		rejected, err = x.attempt(ctx, body)
		if err == nil {
			return rejected, nil
		}
		pause := wait
		refused, answered := errors.AsType[*refusal](err)
		switch {
		case answered && refused.retryAfter < 0:
			return rejected, err
		case answered:
			pause = max(pause, min(refused.retryAfter, maxRetryAfter))
		case x.delivery.Sent == 0 && attempts == attemptsToReach:
			return 0, err
		}
		if !x.pause(ctx, pause) {
			return 0, err
		}
		wait = min(2*wait, longestWait)
	}
}

// pause waits, and reports whether there is time for another attempt.
func (x *Exporter) pause(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return false
	}
	return pause.For(ctx, d) == nil
}

// attempt makes one request.
func (x *Exporter) attempt(ctx context.Context, body []byte) (rejected int, err error) {
	ctx, cancel := context.WithTimeout(ctx, x.config.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.config.Endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return 0, &refusal{message: "the request cannot be made", retryAfter: -1}
	}
	req.Header.Set("User-Agent", "arena/"+x.version)
	for name, v := range x.config.Headers {
		req.Header.Set(name, v)
	}
	req.Header.Set("Content-Type", "application/json")
	if x.config.Gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := x.client.Do(req)
	if err != nil {
		return 0, withoutURL(err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, replyLimit))
	if err != nil {
		return 0, withoutURL(err)
	}
	if resp.StatusCode/100 != 2 {
		return 0, x.refused(resp, reply)
	}
	return x.accepted(resp, reply)
}

// withoutURL returns an error of a request without its URL, which may hold a password.
func withoutURL(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) { // Close stopped waiting
		return errTimeout
	}
	return err
}

var errTimeout = errors.New("timeout: no answer in time")

// refused returns why an answer is not a success, and whether to retry.
func (x *Exporter) refused(resp *http.Response, reply []byte) *refusal {
	var said struct {
		Message string `json:"message"`
	}
	r := &refusal{status: resp.StatusCode, retryAfter: -1}
	if json.Unmarshal(reply, &said) == nil {
		r.message = x.quote(said.Message)
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		r.retryAfter = retryAfter(resp.Header)
	}
	return r
}

// retryAfter is how long a collector asks to wait; 0 when it does not ask.
func retryAfter(h http.Header) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, int(maxRetryAfter/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// accepted reads how many spans the collector refused in an answer of success. An answer in another format is an error:
// it did not come from a collector.
func (x *Exporter) accepted(resp *http.Response, reply []byte) (rejected int, err error) {
	if len(bytes.TrimSpace(reply)) == 0 {
		return 0, nil
	}
	var said struct {
		Partial struct {
			Rejected json.RawMessage `json:"rejectedSpans"` // a number, or a number as text
			Message  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if err := json.Unmarshal(reply, &said); err != nil {
		return 0, &refusal{status: resp.StatusCode, retryAfter: -1, message: "the answer is not that of an OTLP collector"}
	}
	if len(said.Partial.Rejected) > 0 {
		rejected, err = strconv.Atoi(strings.Trim(string(said.Partial.Rejected), `"`))
		if err != nil || rejected < 0 {
			return 0, &refusal{status: resp.StatusCode, retryAfter: -1, message: "the answer is not that of an OTLP collector"}
		}
	}
	if rejected > 0 {
		return rejected, &refusal{status: resp.StatusCode, retryAfter: -1, message: x.quote(said.Partial.Message)}
	}
	return 0, nil
}

// quote prepares a collector's message for an error: on one line, short, and without the request's headers.
func (x *Exporter) quote(text string) string {
	for _, v := range x.config.Headers {
		text = strings.ReplaceAll(text, v, "[redacted]")
		if _, secret, ok := strings.Cut(v, " "); ok && secret != "" {
			text = strings.ReplaceAll(text, secret, "[redacted]")
		}
	}
	runes := []rune(show.Line(text))
	if len(runes) > messageLimit {
		return string(runes[:messageLimit]) + "…"
	}
	return string(runes)
}

// compress compresses a body with gzip.
func compress(body []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}
