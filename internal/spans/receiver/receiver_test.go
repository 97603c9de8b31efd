package receiver

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/spans"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve is a server that ends with the test.
func serve(t testing.TB) *Server {
	t.Helper()
	s, err := Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// asProtobuf is an export of calls of tools, by the official definitions.
func asProtobuf(t testing.TB, trial string, names ...string) []byte {
	t.Helper()
	text := func(key, s string) *common.KeyValue {
		return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: s}}}
	}
	r := &resource.Resource{}
	if trial != "" {
		r.Attributes = append(r.Attributes, text(spans.TrialAttribute, trial))
	}
	scope := &trace.ScopeSpans{}
	for i, name := range names {
		scope.Spans = append(scope.Spans, &trace.Span{
			TraceId: []byte("0123456789abcdef"), SpanId: fmt.Appendf(nil, "%08d", i+1), Name: name,
			StartTimeUnixNano: uint64(1e18 + i), EndTimeUnixNano: uint64(1e18 + i + 1),
			Attributes: []*common.KeyValue{
				text("openinference.span.kind", "TOOL"), text("tool.name", name), text("tool.parameters", `{"a": 1}`),
			},
		})
	}
	data, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{
		Resource: r, ScopeSpans: []*trace.ScopeSpans{scope},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func asJSON(name string) []byte {
	return fmt.Appendf(nil, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%s","spanId":"%s","name":%q,`+
		`"attributes":[{"key":"openinference.span.kind","value":{"stringValue":"TOOL"}}]}]}]}]}`,
		hex.EncodeToString([]byte("0123456789abcdef")), hex.EncodeToString([]byte("12345678")), name)
}

func zipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// client sends requests as programs do.
type client struct {
	t       testing.TB
	http    *http.Client
	url     string
	headers map[string]string
}

// program is a client with the headers that the variables of an inbox tell.
func program(t testing.TB, in *Inbox) *client {
	t.Helper()
	c := &client{t: t, http: &http.Client{Transport: &http.Transport{}}, headers: map[string]string{}}
	t.Cleanup(c.http.CloseIdleConnections)
	for _, v := range in.Env(time.Second) {
		name, value, _ := strings.Cut(v, "=")
		switch name {
		case "OTEL_EXPORTER_OTLP_ENDPOINT":
			c.url = value + "/v1/traces"
		case "OTEL_EXPORTER_OTLP_HEADERS":
			for pair := range strings.SplitSeq(value, ",") {
				key, escaped, _ := strings.Cut(pair, "=")
				plain, err := url.PathUnescape(escaped) // as the libraries do
				if err != nil {
					t.Fatal(err)
				}
				c.headers[key] = plain
			}
		}
	}
	return c
}

// send posts a body. Pairs of names and values are headers.
func (c *client) send(body io.Reader, kind string, pairs ...string) (status int, answer, answerKind string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url, body)
	if err != nil {
		c.t.Fatal(err)
	}
	for key, value := range c.headers {
		req.Header.Set(key, value)
	}
	req.Header.Set("Content-Type", kind)
	for i := 0; i < len(pairs); i += 2 {
		req.Header.Set(pairs[i], pairs[i+1])
	}
	resp, err := c.http.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header.Get("Content-Type")
}

// names returns the names of spans.
func names(list []spans.Span) (out []string) {
	for i := range list {
		out = append(out, list[i].Name)
	}
	return out
}

// hidden is a reader of unknown length, so that a request is sent in chunks.
type hidden struct{ io.Reader }

func TestEncodings(t *testing.T) {
	t.Parallel()
	s := serve(t)
	in := s.Open("refund, all/gpt 4 %/ü#2")
	c := program(t, in)
	gzipped := []string{"Content-Encoding", "gzip"}
	for i, send := range []struct {
		body   io.Reader
		kind   string
		pairs  []string
		answer string
	}{
		{bytes.NewReader(asProtobuf(t, "", "a")), protobufType, nil, ""},
		{hidden{bytes.NewReader(asProtobuf(t, "", "b"))}, protobufType, nil, ""},
		{bytes.NewReader(zipped(t, asProtobuf(t, "another trial", "c"))), protobufType, gzipped, ""},
		{bytes.NewReader(asJSON("d")), jsonType, nil, "{}"},
		{hidden{bytes.NewReader(zipped(t, asJSON("e")))}, jsonType + "; charset=utf-8", gzipped, "{}"},
	} {
		status, answer, kind := c.send(send.body, send.kind, send.pairs...)
		if want, _, _ := strings.Cut(send.kind, ";"); status != http.StatusOK || answer != send.answer || kind != want {
			t.Errorf("%d: %d %q %q", i, status, answer, kind)
		}
	}
	got, lost := in.Take()
	if diff := cmp.Diff([]string{"a", "b", "c", "d", "e"}, names(got)); diff != "" || lost.Err() != nil {
		t.Errorf("%v (-want +got):\n%s", lost.Err(), diff)
	}
	if got[0].Tools[0].Args != `{"a": 1}` || got[0].End.Sub(got[0].Start) != 1 || got[0].Kind != spans.ToolRun {
		t.Errorf("%+v", got[0])
	}
	if again, _ := in.Take(); again != nil {
		t.Errorf("%v were there twice", names(again))
	}
	if diff := cmp.Diff(Counts{}, s.Counts()); diff != "" {
		t.Errorf("%+v", s.Counts())
	}
}

// TestRefused: refused requests and their answers.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := serve(t)
	in := s.Open("a")
	c := program(t, in)
	good := asProtobuf(t, "", "x")
	bomb := zipped(t, bytes.Repeat([]byte{0}, MostBody+1))
	for _, send := range []struct {
		what   string
		body   []byte
		pairs  []string
		status int
		counts Counts // after it
		lost   string // for the trial
	}{
		{"no secret", good, []string{SecretHeader, ""}, 401, Counts{Refused: 1}, ""},
		{"a wrong secret", good, []string{SecretHeader, s.Secret() + "x"}, 401, Counts{Refused: 2}, ""},
		{"no trial", good, []string{TrialHeader, ""}, 401, Counts{Refused: 3}, ""},
		{"the trial of the resource", asProtobuf(t, "a", "y"), []string{TrialHeader, ""}, 200, Counts{Refused: 3}, ""},
		{"a trial that there is not", good, []string{TrialHeader, "b"}, 200, Counts{Refused: 3, Late: 1}, ""},
		{"no protobuf", []byte("hello"), nil, 400, Counts{Refused: 3, Late: 1}, "could not be read (not protobuf"},
		{"no gzip", good, []string{"Content-Encoding", "gzip"}, 400, Counts{Refused: 3, Late: 1}, "no gzip"},
		{"another encoding", good, []string{"Content-Encoding", "br"}, 415, Counts{Refused: 3, Late: 1},
			`takes gzip and no "br"`},
		{"a bomb", bomb, []string{"Content-Encoding", "gzip"}, 413, Counts{Refused: 3, Late: 1}, "more than 64 MiB"},
		{"a bad span", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[7]}]}]}`), []string{"Content-Type", jsonType}, 200,
			Counts{Refused: 3, Late: 1}, "must be an object, found 7"},
	} {
		status, answer, _ := c.send(bytes.NewReader(send.body), protobufType, send.pairs...)
		if status != send.status || s.Counts().Refused != send.counts.Refused || s.Counts().Late != send.counts.Late {
			t.Errorf("%s: %d %q, %+v", send.what, status, answer, s.Counts())
		}
		_, lost := in.Take()
		if err := lost.Err(); (err == nil) != (send.lost == "") || err != nil && !strings.Contains(err.Error(), send.lost) {
			t.Errorf("%s: lost: %v", send.what, err)
		}
	}
	resp, err := c.http.Get(c.url)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("GET: %d", resp.StatusCode)
	}
	c.url = s.URL() + "/v1/metrics"
	if status, _, _ := c.send(bytes.NewReader([]byte("anything")), protobufType); status != 200 {
		t.Errorf("metrics: %d", status)
	}
	c.url = s.URL() + "/v2/traces"
	if status, _, _ := c.send(bytes.NewReader(good), protobufType); status != 404 {
		t.Errorf("another path: %d", status)
	}
	if _, lost := in.Take(); lost.Err() == nil || !strings.Contains(lost.Err().Error(), "and not at /v2/traces") {
		t.Errorf("another path: lost: %v", lost.Err())
	}
	c.url = s.URL() + "//v1/traces/"
	if status, _, _ := c.send(bytes.NewReader(good), protobufType); status != 200 {
		t.Errorf("the same path: %d", status)
	}
}

// TestEnded: nothing is kept for trials that have ended.
func TestEnded(t *testing.T) {
	t.Parallel()
	s := serve(t)
	in := s.Open("a")
	c := program(t, in)
	c.send(bytes.NewReader(asProtobuf(t, "", "early")), protobufType)
	in.Close()
	c.send(bytes.NewReader(asProtobuf(t, "", "late", "later")), protobufType)
	if got, _ := in.Take(); got != nil || s.Counts().Late != 2 || s.kept != 0 {
		t.Errorf("%v, %+v, %d bytes", names(got), s.Counts(), s.kept)
	}
}

// TestFlood: the kept spans are limited, and the rest is counted.
func TestFlood(t *testing.T) {
	t.Parallel()
	s := serve(t)
	in := s.Open("a")
	long := strings.Repeat("x", 900)
	body := asProtobuf(t, "", slicesRepeat(long, 20_000)...)
	if len(body) < smallBody {
		t.Fatal("it is no large request")
	}
	if status, _, _ := program(t, in).send(bytes.NewReader(body), protobufType); status != 200 {
		t.Error(status)
	}
	got, lost := in.Take()
	if len(got) == 0 || len(got)+lost.Full != 20_000 || lost.Full == 0 {
		t.Errorf("%d kept, %d lost", len(got), lost.Full)
	}
	if err := lost.Err(); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Error(err)
	}
}

func slicesRepeat(s string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = s
	}
	return list
}

// TestManyTrials: spans of concurrent trials are separated.
func TestManyTrials(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var g sync.WaitGroup
	for i := range 32 {
		in := s.Open(fmt.Sprintf("scenario/provider#%d", i))
		c := program(t, in)
		g.Go(func() {
			want := []string{}
			for n := range 20 {
				name := fmt.Sprintf("%d-%d", i, n)
				want = append(want, name)
				if status, _, _ := c.send(bytes.NewReader(asProtobuf(t, "", name)), protobufType); status != 200 {
					t.Error(status)
				}
			}
			got, lost := in.Take()
			if diff := cmp.Diff(want, names(got)); diff != "" || lost.Err() != nil {
				t.Errorf("trial %d: %v (-want +got):\n%s", i, lost.Err(), diff)
			}
		})
	}
	g.Wait()
}

// TestDrain: everything that a program sent is received, even if it did not wait for the answer.
func TestDrain(t *testing.T) {
	t.Parallel()
	shared := serve(t)
	var g sync.WaitGroup
	for i := range 16 {
		s := shared
		if i%2 == 0 {
			s = serve(t) // nobody else has connected to it
		}
		in := s.Open(fmt.Sprint(i))
		g.Go(func() {
			body := asProtobuf(t, "", slicesRepeat("x", 500)...)
			c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL(), "http://"))
			if err != nil {
				t.Error(err)
				return
			}
			_, err = fmt.Fprintf(c, "POST /v1/traces HTTP/1.1\r\nHost: x\r\n%s: %d\r\n%s: %s\r\nContent-Type: %s\r\n"+
				"Content-Length: %d\r\n\r\n%s", TrialHeader, i, SecretHeader, s.Secret(), protobufType, len(body), body)
			if err != nil {
				t.Error(err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), hang.Guard)
			defer cancel()
			in.Drain(ctx)
			if got, lost := in.Take(); len(got) != 500 || lost.Err() != nil || ctx.Err() != nil {
				t.Errorf("%d: %d spans, %v", i, len(got), lost.Err())
			}
		})
	}
	g.Wait()
}

// TestSilence: how long arena waits for a program that keeps sending.
func TestSilence(t *testing.T) {
	t.Parallel()
	s := serve(t)
	clocks := make(chan chan time.Time, 100)
	s.after = func(time.Duration) <-chan time.Time {
		c := make(chan time.Time, 1)
		clocks <- c
		return c
	}
	in := s.Open("a")
	done := make(chan struct{})
	go func() {
		in.Silence(t.Context(), time.Second, nil)
		close(done)
	}()
	first := <-clocks
	program(t, in).send(bytes.NewReader(asProtobuf(t, "", "x")), protobufType)
	first <- time.Time{}
	select { // something came, so that the time begins anew
	case c := <-clocks:
		c <- time.Time{}
	case <-done:
		t.Error("a request was not heard")
	}
	for waiting := true; waiting; {
		select {
		case c := <-clocks:
			c <- time.Time{}
		case <-done:
			waiting = false
		}
	}
	ended := make(chan struct{})
	close(ended)
	in.Silence(t.Context(), time.Hour, ended)
}

// TestArrival: what ends the wait for the first request.
func TestArrival(t *testing.T) {
	t.Parallel()
	s := serve(t)
	in := s.Open("a")
	passed := make(chan time.Time)
	s.after = func(time.Duration) <-chan time.Time { return passed }
	close(passed)
	in.Arrival(t.Context(), 0, time.Hour) // nothing comes
	passed = make(chan time.Time)
	program(t, in).send(bytes.NewReader(asProtobuf(t, "", "x")), protobufType)
	in.Arrival(t.Context(), 0, time.Hour) // it is there
	done, cancel := context.WithCancel(t.Context())
	cancel()
	in.Arrival(done, in.Arrivals(), time.Hour)
}
