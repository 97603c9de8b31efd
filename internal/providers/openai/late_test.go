package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// silent is a body that never ends. It says each piece a second after the one before.
type silent struct {
	ctx    context.Context
	pieces []string
}

func (s *silent) Read(p []byte) (int, error) {
	wait := hang.Guard
	if len(s.pieces) > 0 {
		wait = time.Second
	}
	select {
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	case <-time.After(wait):
	}
	if len(s.pieces) == 0 {
		return 0, errors.New("nobody ended the call")
	}
	n := copy(p, s.pieces[0])
	if s.pieces[0] = s.pieces[0][n:]; s.pieces[0] == "" {
		s.pieces = s.pieces[1:]
	}
	return n, nil
}

func (*silent) Close() error { return nil }

// TestStreamsThatDoNotEnd: a reply that its model has finished is whole, also when the server does not say so; one
// that it has not finished never is. Waiting ends soon, whatever keeps the connection alive.
func TestStreamsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	alive := make([]string, 100)
	for i := range alive {
		alive[i] = ": still here\n\n" + delta(`{"content":""}`)
	}
	usage := `data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}` + "\n\n"
	for name, c := range map[string]struct {
		pieces []string
		idle   time.Duration
		took   time.Duration // until the reply
		tokens int           // as the server counts them
		err    string
	}{
		"finished":              {pieces: []string{delta(`{"content":"a"}`, "stop")}, took: 6 * time.Second},
		"finished with nothing": {pieces: []string{delta(`{"content":"a"}`), delta(`{}`, "stop")}, took: 7 * time.Second},
		"usage comes":           {pieces: []string{delta(`{"content":"a"}`, "stop"), usage}, took: 6 * time.Second, tokens: 9},
		"kept alive":            {pieces: append([]string{delta(`{"content":"a"}`, "stop")}, alive...), took: 6 * time.Second},
		"a short limit": {pieces: []string{delta(`{"content":"a"}`, "stop")}, idle: 3 * time.Second / 2,
			took: 5 * time.Second / 2},
		"not finished":    {pieces: []string{delta(`{"content":"a"}`)}, err: "timeout: the stream was silent for 30s"},
		"only kept alive": {pieces: append([]string{delta(`{"content":"a"}`)}, alive...), err: "timeout: the stream was silent"},
		"an error at last": {pieces: []string{delta(`{"content":"a"}`, "stop"), `data: {"error":{"message":"gone"}}` + "\n\n"},
			err: "bad_reply: gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := spec("openai", "https://api.test/v1")
				s.StreamIdleTimeout = c.idle
				p := open(t, s, wire.Options{Transport: providertest.RoundTrip(func(r *http.Request) (*http.Response, error) {
					resp := providertest.Response(200, "text/event-stream", "")
					resp.Body, resp.ContentLength = &silent{r.Context(), c.pieces}, -1
					return resp, nil
				})})
				got, err := p.Complete(t.Context(), &chat.Request{Stream: true, Messages: make([]chat.Message, 3)}, nil)
				checkError(t, err, c.err)
				if c.err != "" {
					return
				}
				if took := time.Duration(got.LatencyMS * float64(time.Millisecond)); took != c.took || got.Content != "a" {
					t.Errorf("got %q after %s, want it after %s", got.Content, took, c.took)
				}
				if got.Usage.Estimated == (c.tokens > 0) || c.tokens > 0 && got.Usage.InputTokens != c.tokens {
					t.Errorf("usage %+v", got.Usage)
				}
			})
		})
	}
}

// TestRepliesThatBeginWithAMark: a byte order mark, which nobody sees, makes no reply unreadable.
func TestRepliesThatBeginWithAMark(t *testing.T) {
	t.Parallel()
	got, err := ask(t, providertest.Answers(200, "application/json",
		"\ufeff"+`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`), false)
	if err != nil || got.Content != "a" {
		t.Errorf("got %q, %v", got.Content, err)
	}
	_, err = ask(t, providertest.Answers(429, "application/json", "\ufeff"+`{"error":{"message":"slow down"}}`), false)
	checkError(t, err, "rate_limit: http 429: slow down")
}

// TestRepliesThatStayUseless: what came whole and has the wrong form is asked for once more, not three times.
func TestRepliesThatStayUseless(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{"choices":[{"message":{"content":"a"},"finish_reason":5}]}`: 2,
		`{"choices":[{"message":{"content":"a"},"fini`:                4,
	} {
		for _, stream := range []bool{false, true} {
			calls := 0
			kind, body := "application/json", body
			if stream {
				kind, body = "text/event-stream", "data: "+strings.ReplaceAll(body, "message", "delta")+"\n\n"
			}
			synctest.Test(t, func(t *testing.T) {
				p := providers.Retry(open(t, spec("openai", "https://api.test/v1"), wire.Options{
					Transport: providertest.RoundTrip(func(*http.Request) (*http.Response, error) {
						calls++
						r := providertest.Response(200, kind, "")
						r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
						return r, nil
					}),
				}), scenario.RetryPolicy{}, nil)
				_, err := p.Complete(t.Context(), &chat.Request{Stream: stream, Messages: make([]chat.Message, 3)}, nil)
				if err == nil || calls != want {
					t.Errorf("stream %t: %d calls for %s, want %d: %v", stream, calls, body, want, err)
				}
			})
		}
	}
}
