package checks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/result"
)

// uglyServers are faulty servers that checks must handle. %s in want is the address of the server.
var uglyServers = []struct {
	name  string
	serve func(w http.ResponseWriter, r *http.Request)
	want  string
	calls int // that arrive
}{
	{"broken", reply(http.StatusInternalServerError, "panic: nil map"), `%s: status 500 Internal Server Error: "panic: nil map"`, 1},
	{"not there", reply(http.StatusNotFound, ""), `%s: status 404 Not Found`, 1},
	{"overloaded", reply(http.StatusServiceUnavailable, ""), `%s: status 503 Service Unavailable`, 1},
	{"an unheard-of status", reply(599, ""), `%s: status 599`, 1},
	{"moved without saying where", reply(http.StatusTemporaryRedirect, ""), `%s: status 307 Temporary Redirect`, 1},
	{"silent", silent, `%s: no answer within 300ms`, 1},
	{"stops in the middle", func(w http.ResponseWriter, r *http.Request) {
		start(w, `{"score": 1, "reaso`)
		silent(w, r)
	}, `%s: no answer within 300ms`, 1},
	{"breaks off", func(w http.ResponseWriter, _ *http.Request) {
		start(w, `{"score": 1, "reaso`)
		panic(http.ErrAbortHandler)
	}, `%s: the reply broke off: unexpected EOF`, 1},
	{"hangs up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, `%s: EOF`, 1},
	{"resets", reset, `connection reset by peer`, 1},
	{"endless", func(w http.ResponseWriter, _ *http.Request) {
		for chunk := bytes.Repeat([]byte(" "), 1<<20); ; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}, `%s: the reply is larger than 10 MB`, 1},
	{"speaks in circles", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"x", http.StatusTemporaryRedirect)
	}, `%s: it redirects more than 5 times`, 6},
	{"sends away", redirectTo("http://elsewhere.test/score", http.StatusPermanentRedirect),
		`%s: it redirects to another host, "elsewhere.test", which is not followed`, 1},
	{"sends to another port", redirectTo("http://127.0.0.1:1/score", http.StatusTemporaryRedirect),
		`%s: it redirects to another host, "127.0.0.1:1", which is not followed`, 1},
	{"sends to a file", redirectTo("file:///etc/passwd", http.StatusTemporaryRedirect), `it redirects to another host`, 1},
	{"has moved", redirectTo("/there", http.StatusMovedPermanently), `%s: it redirects with status 301, which loses what was sent`, 1},
	{"is found elsewhere", redirectTo("/there", http.StatusFound), `%s: it redirects with status 302, which loses what was sent`, 1},
	{"says nothing", reply(http.StatusOK, " \n"), `%s: the reply cannot be used: it is empty`, 1},
	{"has nothing to say", reply(http.StatusNoContent, ""), `%s: the reply cannot be used: it is empty`, 1},
	{"speaks HTML", reply(http.StatusOK, "<html>score: 1</html>"), `it is not one JSON object (invalid character '<' looking for beginning of value): "<html>score: 1</html>"`, 1},
	{"lists", reply(http.StatusOK, `[{"score": 1}]`), `it is not one JSON object: "[{`, 1},
	{"counts to nowhere", reply(http.StatusOK, `{"score": NaN}`), `it is not one JSON object`, 1},
	{"counts in words", reply(http.StatusOK, `{"score": "high"}`), `score is "high", expected a number from 0 to 1`, 1},
	{"counts nothing", reply(http.StatusOK, `{"score": null}`), `score is null, expected a number from 0 to 1`, 1},
	{"counts to ten", reply(http.StatusOK, `{"score": 10}`), `score is 10, which is not between 0 and 1`, 1},
	{"counts backwards", reply(http.StatusOK, `{"score": -0.5}`), `score is -0.5, which is not between 0 and 1`, 1},
	{"gives no score", reply(http.StatusOK, `{"passed": true, "reasoning": "fine"}`), `it has no score`, 1},
	{"tells of an error", reply(http.StatusOK, `{"score": 1, "error": "no model"}`), `it reports an error of its own`, 1},
	{"hides the score", reply(http.StatusOK, `{"result": {"score": 1}}`), `it has no score`, 1},
	{"changes its mind", reply(http.StatusOK, `{"score": 0} {"score": 1}`), `it is not one JSON object (more than one JSON document)`, 1},
	{"says it twice", reply(http.StatusOK, `{"score": 1} {"score": 1}`), `it is not one JSON object (more than one JSON document)`, 1},
	{"says more", reply(http.StatusOK, `{"score": 1}x`), `it is not one JSON object`, 1},
	{"ends in a zero byte", reply(http.StatusOK, "{\"score\": 1}\x00"), `it is not one JSON object`, 1},
	{"counts in a text", reply(http.StatusOK, `{"score": "1"}`), `score is "1", expected a number from 0 to 1, without quotes`, 1},
	{"speaks in tongues", reply(http.StatusOK, "\xff\xfe{\x00\x1b[31m"), `the reply is not utf-16`, 1},
	{"speaks Latin", reply(http.StatusOK, "{\"score\": 1, \"reasoning\": \"Z\xfcrich\"}"),
		`the reply is not utf-8, which its Content-Type names`, 1},
}

func TestUglyEndpoints(t *testing.T) {
	t.Parallel()
	for _, tc := range uglyServers {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server, calls := serve(t, tc.serve)
			timeout, late := hang.Guard.String(), strings.Contains(tc.want, "300ms")
			if late {
				timeout = "300ms"
			}
			c := compiledJSON(t, "rest_eval", fmt.Sprintf(
				`{"url": %q, "timeout": %q, "min_score": 0, "headers": {"X-Api-Key": "${KEY}"}}`, server.URL, timeout))
			expectError(t, c, plainHost(t), strings.ReplaceAll(tc.want, "%s", server.URL))
			if got := int(calls.Load()); got != tc.calls && !late { // a slow machine is late before it has asked
				t.Errorf("%d requests arrived, want %d", got, tc.calls)
			}
		})
	}
}

// expectError judges with the check, and expects a one-line error with this text and without secrets.
func expectError(t *testing.T, c *Compiled, h *Host, want string) {
	t.Helper()
	v := c.Judge(t.Context(), outsideSubject(h))
	if v.Status != result.Errored || v.Passed || v.Score != nil || !strings.Contains(v.Error, want) {
		t.Errorf("%s: %s%s\nwant %s", v.Status, v.Error, v.Explanation, want)
	}
	if strings.ContainsAny(v.Error, "\n\x1b") || len(v.Error) > 2000 {
		t.Errorf("an ugly text: %q", v.Error)
	}
	hold, err := json.Marshal(v)
	if err != nil || strings.Contains(string(hold), secretKey) {
		t.Errorf("the secret shows (%v): %s", err, hold)
	}
}

const secretKey = "sesame-open-42"

// plainHost connects to this machine's network, without a proxy.
func plainHost(t *testing.T) *Host {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &Host{HTTP: &http.Client{Transport: transport}, Getenv: lookup(map[string]string{"KEY": secretKey})}
}

func outsideSubject(h *Host) *Subject {
	return &Subject{Host: h, Messages: []chat.Message{
		{Role: chat.User, Content: "When?"}, {Role: chat.Assistant, Content: "On Monday."},
	}}
}

func serve(t *testing.T, handle http.HandlerFunc) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		handle(w, r)
	}))
	t.Cleanup(server.Close)
	return server, &calls
}

func reply(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func redirectTo(address string, status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, address, status) }
}

// silent waits until the client disconnects.
func silent(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// start sends the beginning of a longer body.
func start(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, text)
	_ = http.NewResponseController(w).Flush()
}

func reset(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_ = conn.(*net.TCPConn).SetLinger(0) // closing then resets
	_ = conn.Close()
}

// TestRepeats: a request that was not sent is repeated once, and so is a GET without an answer; nothing else is.
func TestRepeats(t *testing.T) {
	t.Parallel()
	var dials atomic.Int32
	h := plainHost(t)
	h.HTTP.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		dials.Add(1)
		return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:1")
	}
	c := compiledJSON(t, "rest_eval", `{"url": "http://nowhere.test/${KEY}", "min_score": 0}`)
	expectError(t, c, h, "http://nowhere.test/${KEY}: dial tcp 127.0.0.1:1: connect: connection refused")
	if dials.Load() != 2 {
		t.Errorf("%d attempts to connect", dials.Load())
	}
	for method, want := range map[string]int32{"GET": 2, "POST": 1, "PUT": 1} {
		var seen atomic.Int32
		server, calls := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if seen.Add(1) == 1 {
				panic(http.ErrAbortHandler)
			}
			_, _ = io.WriteString(w, `{"score": 1}`)
		})
		c := compiledJSON(t, "rest_eval", fmt.Sprintf(`{"url": %q, "method": %q}`, server.URL, method))
		v := c.Judge(t.Context(), outsideSubject(plainHost(t)))
		if calls.Load() != want || v.Passed != (want == 2) {
			t.Errorf("%s: %d requests, %s", method, calls.Load(), v.Status)
		}
	}
}

// TestFollowed: a redirect on the same host is followed with the complete request.
func TestFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		server, calls := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/there" {
				http.Redirect(w, r, "/there", status)
				return
			}
			body, _ := io.ReadAll(r.Body)
			if r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer "+secretKey ||
				!bytes.Contains(body, []byte(`"current_output":"On Monday."`)) {
				t.Errorf("%s %v %s", r.Method, r.Header, body)
			}
			_, _ = io.WriteString(w, `{"score": 0.5}`)
		})
		c := compiledJSON(t, "rest_eval", fmt.Sprintf(
			`{"url": %q, "min_score": 0.5, "headers": {"Authorization": "Bearer ${KEY}"}}`, server.URL))
		if v := c.Judge(t.Context(), outsideSubject(plainHost(t))); !v.Passed || calls.Load() != 2 {
			t.Errorf("%d: %s%s", status, v.Error, v.Explanation)
		}
	}
}

func TestUntrustedCertificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(reply(http.StatusOK, `{"score": 1}`))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	c := compiledJSON(t, "rest_eval", fmt.Sprintf(`{"url": %q}`, server.URL))
	expectError(t, c, plainHost(t), "tls: failed to verify certificate: x509: certificate signed by unknown authority")
}

// TestEchoedSecrets: secrets that a server sends back are never shown.
func TestEchoedSecrets(t *testing.T) {
	t.Parallel()
	echo := func(w http.ResponseWriter, r *http.Request) {
		seen := r.Header.Get("X-Literal") + r.Header.Get("Authorization") + r.URL.String()
		_, _ = fmt.Fprintf(w, `{"score": 1, "reasoning": %q}`, seen)
	}
	server, _ := serve(t, echo)
	c := compiledJSON(t, "rest_eval", fmt.Sprintf(
		`{"url": "%s/a?k=${KEY}", "headers": {"Authorization": "Basic ${KEY}"}}`, server.URL))
	v := c.Judge(t.Context(), outsideSubject(plainHost(t)))
	text, err := json.Marshal(v)
	if err != nil || !v.Passed || strings.Contains(string(text), secretKey) || !strings.Contains(v.Explanation, "[redacted]") {
		t.Errorf("%v: %s", err, text)
	}
	reflecting, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no access with "+r.Header.Get("Token"), http.StatusForbidden)
	})
	c = compiledJSON(t, "rest_eval", fmt.Sprintf(`{"url": %q, "headers": {"Token": %q}}`, reflecting.URL, secretKey))
	expectError(t, c, plainHost(t), `status 403 Forbidden: "no access with [redacted]"`)
}

// TestStoppedWhileWaiting: a run that is stopped does not wait for endpoints, and its checks are cancelled, not errors.
func TestStoppedWhileWaiting(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		silent(w, r)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	c := compiledJSON(t, "rest_eval", fmt.Sprintf(`{"url": %q}`, server.URL))
	if v := c.Judge(ctx, outsideSubject(plainHost(t))); v.Status != result.Cancelled {
		t.Errorf("%s: %s", v.Status, v.Error)
	}
}

func TestNothingReachable(t *testing.T) {
	t.Parallel()
	for _, params := range []string{`{"url": "http://x.test"}`, `{"url": "http://x.test", "method": "get"}`} {
		expectError(t, compiledJSON(t, "rest_eval", params), nil, "nothing outside of arena can be reached from here")
	}
	c := compiledJSON(t, "a2a_eval", `{"agent_url": "http://x.test"}`)
	expectError(t, c, &Host{Getenv: lookup(nil)}, "nothing outside of arena can be reached from here")
}

// TestDossier shows the exact data that is sent.
func TestDossier(t *testing.T) {
	t.Parallel()
	s := &Subject{
		Messages: []chat.Message{
			{Role: chat.System, Content: "Be kind."},
			{Role: chat.User, Content: "When?"},
			{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "1", Name: "find"}}},
			{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "1", Name: "find", Content: "Monday"}},
			{Role: chat.Assistant, Content: "On <Monday>."},
		},
		Start: 1, Variables: map[string]string{"lang": "en"},
		Calls: []Call{
			{Name: "find", Args: map[string]any{"n": json.Number("7")}, Result: "Monday"}, {Name: "lost", Error: "gone"},
		},
	}
	c := compiledJSON(t, "rest_eval", `{"url": "http://x.test", "include_tool_calls": true, "criteria": "kind",
		"extra": {"team": "a", "messages": "mine", "extra": 1}}`).Check.(*restEval)
	body, err := encodeRequest(c.dossier.of(s))
	want := `{"criteria":"kind","current_output":"On <Monday>.","extra":{"extra":1,"messages":"mine","team":"a"},` +
		`"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"When?"},` +
		`{"role":"assistant","content":""},{"role":"tool","content":"Monday"},` +
		`{"role":"assistant","content":"On <Monday>."}],"team":"a",` +
		`"tool_calls":[{"name":"find","args":{"n":7},"result":"Monday","index":0},` +
		`{"name":"lost","args":{},"error":"gone","index":1}],"variables":{"lang":"en"}}`
	if err != nil || string(body) != want {
		t.Errorf("%v\n got %s\nwant %s", err, body, want)
	}
	bare := compiledJSON(t, "rest_eval", `{"url": "http://x.test", "include_messages": false}`).Check.(*restEval)
	body, err = encodeRequest(bare.dossier.of(&Subject{}))
	if err != nil || string(body) != `{"current_output":""}` {
		t.Errorf("%v: %s", err, body)
	}
}

// TestUnreadableArgumentsAreSent: calls with arguments that are not an object are not sent as calls without arguments.
func TestUnreadableArgumentsAreSent(t *testing.T) {
	t.Parallel()
	s := replied("x")
	s.Calls = []Call{{Name: "pay", BadArgs: "amount=5"}, {Name: "ping"}}
	data, err := encodeRequest(callsOf(s))
	want := `[{"name":"pay","args":null,"bad_args":"amount=5","index":0},{"name":"ping","args":{},"index":1}]`
	if err != nil || string(data) != want {
		t.Errorf("%s %v, want %s", data, err, want)
	}
}
