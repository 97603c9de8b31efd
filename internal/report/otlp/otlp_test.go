package otlp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/report/otlptest"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var traceID = [16]byte{0xAB, 15: 1}

// collect starts a collector, and says how to reach it.
func collect(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request) bool) (*otlptest.Collector, *Config) {
	t.Helper()
	c := otlptest.New(answer)
	t.Cleanup(c.Close)
	return c, configFor(t, c.URL)
}

func configFor(t *testing.T, at string) *Config {
	t.Helper()
	config, err := Read(at, false, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	config.Timeout, config.Flush = hang.Guard, hang.Guard
	return config
}

func export(x *Exporter, events []result.Event) Delivery {
	for _, e := range events {
		x.Handle(e)
	}
	return x.Close()
}

// spansOf is how many spans resulttest.Events make: run, trial, turn, three calls of models, two of tools.
const spansOf = 9

// TestTrace: the collector, which reads by the definitions of the protocol, sees the run, and the trial as one tree in a
// trace of its own.
func TestTrace(t *testing.T) {
	t.Parallel()
	for _, content := range []bool{false, true} {
		name := "trace.txt"
		if content {
			name = "trace-content.txt"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, config := collect(t, nil)
			config.Content, config.Gzip = content, content
			d := export(New(t.Context(), config, "v1.2.3", traceID), resulttest.Events())
			if diff := cmp.Diff(Delivery{Sent: spansOf}, d); diff != "" {
				t.Errorf("(-want +got):\n%s%v", diff, c.Problems())
			}
			traces := map[string]int{}
			for _, s := range c.Spans() {
				traces[fmt.Sprintf("%x", s.TraceId)]++
			}
			const run, trial = "ab000000000000000000000000000001", "a50ad2282ef76af2a53e28b2f7e549f8"
			if diff := cmp.Diff(map[string]int{run: 1, trial: spansOf - 1}, traces); diff != "" {
				t.Errorf("spans of traces (-want +got):\n%s", diff)
			}
			if got := c.Requests()[0].Header.Get("Content-Encoding"); (got == "gzip") != content {
				t.Errorf("Content-Encoding %q", got)
			}
			golden.Check(t, name, []byte(c.Tree()))
		})
	}
}

// TestNothingIsSaidWithoutContent: what users, models and tools say stays here, also where checks and errors quote it.
func TestNothingIsSaidWithoutContent(t *testing.T) {
	t.Parallel()
	c, config := collect(t, nil)
	export(New(t.Context(), config, "v1.2.3", traceID), resulttest.Events())
	for _, secret := range []string{"teapot", "Be kind", "A-1001", "sent", "30 days", "friendly", "no arguments"} {
		if strings.Contains(c.Tree(), secret) {
			t.Errorf("%q is in the trace", secret)
		}
	}
}

// TestHostileTexts cannot break the encoding.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	c, config := collect(t, nil)
	config.Content = true
	config.Resource = map[string]string{resulttest.Poison: resulttest.Poison}
	if d := export(New(t.Context(), config, "v1", traceID), resulttest.HostileEvents()); d.Sent != spansOf {
		t.Errorf("%+v %v", d, c.Problems())
	}
}

// TestIDsRepeat from run to run, but for that of the trace, and no two spans share one.
func TestIDsRepeat(t *testing.T) {
	t.Parallel()
	var runs [2][]string
	for i := range runs {
		c, config := collect(t, nil)
		export(New(t.Context(), config, "v1", [16]byte{byte(i), 1}), resulttest.Events())
		for _, s := range c.Spans() {
			runs[i] = append(runs[i], fmt.Sprintf("%x", s.SpanId))
		}
	}
	if diff := cmp.Diff(runs[0], runs[1]); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
	slices.Sort(runs[0])
	if n := len(slices.Compact(runs[0])); n != spansOf {
		t.Errorf("%d different ids", n)
	}
}

// TestWhatNeverEnds: calls that the end of a conversation cuts short are told, and a trial that never started is not.
func TestWhatNeverEnds(t *testing.T) {
	t.Parallel()
	at := result.At{Time: resulttest.Epoch, Trial: "a/b/c", Turn: 0}
	c, config := collect(t, nil)
	d := export(New(t.Context(), config, "v1", traceID), []result.Event{
		result.RunStarted{At: result.At{Time: resulttest.Epoch}},
		result.TrialDone{At: result.At{Trial: "never/b/c"}, Trial: &result.Trial{Status: result.Cancelled}},
		result.TrialStarted{At: at},
		result.TurnStarted{At: at},
		result.ToolStarted{At: at, Number: 1, Name: "slow"},
		result.CallCompleted{At: at, Call: result.Call{Number: 9}}, // which nobody has started
		result.TrialDone{At: at, Trial: &result.Trial{ID: "a/b/c", Status: result.Cancelled}},
		result.TurnCompleted{At: at},
	})
	var names []string
	for _, s := range c.Spans() {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"execute_tool slow", "invoke_agent", "trial "}, names); diff != "" || d.Lost != 0 {
		t.Errorf("%+v (-want +got):\n%s", d, diff)
	}
}

// TestDelivery: whatever the collector does, the run learns what became of its spans, and in time.
func TestDelivery(t *testing.T) {
	t.Parallel()
	says := func(status int, body string, header ...string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, c := range []struct {
		name   string
		answer func(w http.ResponseWriter)
		times  int // that it is given, before the collector works; 0: always
		sent   int
		err    string
		tried  int // requests; 0: whatever
	}{
		{name: "too many requests", answer: says(429, "", "Retry-After", "1"), times: 1, sent: spansOf, tried: 2},
		{name: "down for a moment", answer: says(503, "<html>"), times: 2, sent: spansOf, tried: 3},
		{name: "bad gateway", answer: says(502, ""), times: 1, sent: spansOf, tried: 2},
		{name: "gateway timeout", answer: says(504, "", "Retry-After", "soon"), times: 1, sent: spansOf, tried: 2},
		{name: "asks for a day", answer: says(429, "", "Retry-After", "86400"), err: "HTTP 429 Too Many Requests", tried: 1},
		{name: "always down", answer: says(503, ""), err: "HTTP 503 Service Unavailable"},
		{name: "not let in", answer: says(401, `{"message": "bad key Bearer sesame"}`),
			err: "HTTP 401 Unauthorized: bad key [redacted]", tried: 1},
		{name: "half the secret", answer: says(403, `{"message": "not sesame\u001b[31m\nplease"}`),
			err: "HTTP 403 Forbidden: not [redacted]␛[31m please", tried: 1},
		{name: "another path", answer: says(404, "404 page not found"), err: "HTTP 404 Not Found", tried: 1},
		{name: "elsewhere", answer: says(307, "", "Location", "http://127.0.0.1:1/v1/traces"),
			err: "HTTP 307 Temporary Redirect", tried: 1},
		{name: "broken", answer: says(500, "boom"), err: "HTTP 500 Internal Server Error", tried: 1},
		{name: "refuses some", answer: says(200, `{"partialSuccess": {"rejectedSpans": "3", "errorMessage": "too old"}}`),
			sent: spansOf - 3, err: "HTTP 200 OK: too old", tried: 1},
		{name: "refuses more than there are", answer: says(200, `{"partialSuccess": {"rejectedSpans": 99}}`),
			err: "HTTP 200 OK", tried: 1},
		{name: "only warns", answer: says(200, `{"partialSuccess": {"errorMessage": "old version"}}`), sent: spansOf, tried: 1},
		{name: "says nothing", answer: says(204, ""), sent: spansOf, tried: 1},
		{name: "is a web page", answer: says(200, "<html>hello</html>"),
			err: "HTTP 200 OK: the answer is not that of an OTLP collector", tried: 1},
		{name: "counts in words", answer: says(200, `{"partialSuccess": {"rejectedSpans": "three"}}`),
			err: "HTTP 200 OK: the answer is not that of an OTLP collector", tried: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, config := collect(t, func(n int, w http.ResponseWriter, _ *http.Request) bool {
				if c.times > 0 && n >= c.times {
					return false
				}
				c.answer(w)
				return true
			})
			config.Headers, config.Flush = map[string]string{"Authorization": "Bearer sesame"}, FlushLimit
			var d Delivery
			synctest.Test(t, func(t *testing.T) {
				x := New(t.Context(), config, "v1", traceID)
				x.client.Transport = at{server.Config.Handler}
				began := time.Now()
				d = export(x, resulttest.Events())
				if took := time.Since(began); took > FlushLimit {
					t.Errorf("took %s", took)
				}
			})
			if d.Sent != c.sent || d.Sent+d.Lost != spansOf {
				t.Errorf("%+v %v", d, server.Problems())
			}
			if got := fmt.Sprint(d.Err); c.err != "" && got != c.err || c.err == "" && d.Err != nil {
				t.Errorf("error %q, want %q", got, c.err)
			}
			requests := server.Requests()
			if c.tried > 0 && len(requests) != c.tried {
				t.Errorf("%d requests, want %d", len(requests), c.tried)
			}
			if got := requests[0].Header.Get("Authorization"); got != "Bearer sesame" {
				t.Errorf("Authorization %q", got)
			}
		})
	}
}

// at sends requests to a handler, without a wire and the time that it takes.
type at struct{ http.Handler }

func (a at) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w.Result(), nil
}

// TestACollectorThatHangs is not waited for; nor is one that is not there.
func TestACollectorThatHangs(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	_, config := collect(t, func(int, http.ResponseWriter, *http.Request) bool {
		<-over
		return true
	})
	defer close(over)
	config.Flush = 200 * time.Millisecond // is meant to pass
	d := export(New(t.Context(), config, "v1", traceID), resulttest.Events())
	if diff := cmp.Diff("timeout: no answer in time", fmt.Sprint(d.Err)); diff != "" || d.Lost != spansOf {
		t.Errorf("%+v", d)
	}
}

func TestNobodyIsThere(t *testing.T) {
	t.Parallel()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	d := export(New(t.Context(), configFor(t, "http://user:sesame@"+address), "v1", traceID), resulttest.Events())
	if d.Lost != spansOf || d.Err == nil || strings.Contains(d.Err.Error(), "sesame") ||
		!strings.Contains(d.Err.Error(), "refused") {
		t.Errorf("%+v", d)
	}
}

// TestABatchAtATime: many spans go in several requests, each of a bounded size, and arrive once.
func TestABatchAtATime(t *testing.T) {
	t.Parallel()
	c, config := collect(t, nil)
	x := New(t.Context(), config, "v1", traceID)
	const trials = 700
	var events []result.Event
	for i := range trials {
		at := result.At{Time: resulttest.Epoch, Trial: fmt.Sprint(i), Turn: result.NoTurn}
		events = append(events, result.TrialStarted{At: at, Model: strings.Repeat("x", 3000)},
			result.TrialDone{At: at, Trial: &result.Trial{Status: result.Passed}})
	}
	if d := export(x, events); d.Sent != trials || d.Lost != 0 {
		t.Errorf("%+v", d)
	}
	if n := len(c.Requests()); n < 3 || len(c.Spans()) != trials {
		t.Errorf("%d requests, %d spans", n, len(c.Spans()))
	}
}

// TestTheQueueIsBounded: what a slow collector does not take is dropped and counted, and nobody waits.
func TestTheQueueIsBounded(t *testing.T) {
	t.Parallel()
	q := newQueue()
	for range 100 {
		q.put(make([]byte, queueBytes/10))
	}
	if got := q.left(); got != 100 || q.dropped != 90 || q.bytes > queueBytes {
		t.Errorf("%d are left, %d dropped, %d bytes", got, q.dropped, q.bytes)
	}
	q.close()
	taken := 0
	for batch := q.take(t.Context()); len(batch) > 0; batch = q.take(t.Context()) {
		taken += len(batch)
	}
	if taken != 10 || q.bytes != 0 {
		t.Errorf("%d were taken, %d bytes left", taken, q.bytes)
	}
	q.put([]byte("late"))
	if q.left() != 91 {
		t.Errorf("%d", q.left())
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if batch := newQueue().take(stopped); batch != nil {
		t.Errorf("%v", batch)
	}
}

// TestAfterSomeFailures no other batch is tried: the run goes on without traces.
func TestAfterSomeFailures(t *testing.T) {
	t.Parallel()
	c, config := collect(t, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	x := New(t.Context(), config, "v1", traceID)
	for range 20 {
		for range batchSpans {
			x.queue.put([]byte("{}"))
		}
	}
	if d := x.Close(); d.Lost != 20*batchSpans || len(c.Requests()) != maxFailures {
		t.Errorf("%+v after %d requests", d, len(c.Requests()))
	}
}

func TestWhere(t *testing.T) {
	t.Parallel()
	c := &Config{Endpoint: &url.URL{Scheme: "https", Host: "x:1", Path: "/v1/traces", User: url.UserPassword("a", "b"), RawQuery: "key=c"}}
	if got := c.Where(); got != "https://x:1/v1/traces" {
		t.Error(got)
	}
}

func BenchmarkHandle(b *testing.B) {
	events := resulttest.Events()
	t := &trace{id: "00", emit: func(*span) {}, trials: map[string]*trial{}}
	b.ReportAllocs()
	for b.Loop() {
		for _, e := range events {
			t.Handle(e)
		}
	}
}
